import packageManifest from '../../package.json' with { type: 'json' }
import { systemClock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { connect } from '../kube/client/index.ts'
import { eventRecorder } from '../kube/events.ts'
import { defaultOperatorSettings } from '../operator/deps.ts'
import { fleetOperator } from '../operator/index.ts'
import { operatorLease } from '../operator/names.ts'
import { imageOf } from '../registration/manifests/pod.ts'
import { selfSigned, serve } from '../server/index.ts'
import { beginProcess } from './begin-process.ts'
import { agentGates, hubGates } from './feature-gates.ts'
import { openCluster } from './open-cluster.ts'
import type { OperatorOptions } from './operator.ts'
import { sidesOf } from './operator.ts'
import { underElection, untilItAnswers } from './process-parts.ts'
import { progressOn } from './progress.ts'
import type { Stop } from './stop-signal.ts'

/** Of the clients for hubs: a whole fleet looks at the same one. */
const slowly = { qps: 2, burst: 5, deadlineMs: 10_000, userAgent: 'lanyard-operator' }

/** `lanyard operator`: until it is stopped. */
export async function runOperator(options: OperatorOptions, stop: Stop): Promise<void> {
  const { common, limits } = await beginProcess('lanyard-operator', options)
  const { client, connection } = await openCluster(options, { ...common, signal: stop.signal }, limits)
  await using _client = client
  const { server } = connection
  const events = eventRecorder(client, { ...common, component: 'lanyard-operator' })
  const operator = fleetOperator(
    {
      ...common,
      kube: client,
      events,
      env: process.env,
      connect: (to) => connect(to, { ...common, options: slowly }),
      settings: {
        ...defaultOperatorSettings,
        image: options.image ?? imageOf(packageManifest.version),
        agentNamespaces: options.agentNamespaces,
        hubNamespace: options.hubNamespace,
        gates: { agent: agentGates, hub: hubGates },
        lookMs: options.hubLookPeriod,
        hubGoneMs: options.hubRemovalTimeout,
      },
    },
    sidesOf(options.for),
  )
  const { show } = progressOn(process.stdout)
  const answering = untilItAnswers(client, { ...common, server, show })
  process.stdout.write(`The Lanyard operator starts on ${server}. Press Ctrl-C to stop.\n`)
  const lease = { namespace: options.namespace, name: operatorLease, flags: options }
  const runs: Run[] = [
    answering.run,
    underElection(client, lease, common, async (signal) => {
      if (options.leaderElection)
        show({ did: 'this process leads', detail: `lease ${operatorLease} in ${lease.namespace}` })
      await operator.run(signal)
    }),
  ]
  if (options.listen) {
    const https = serve({
      ...common,
      listen: options.listen,
      certificate: selfSigned({ names: { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, clock: systemClock }),
      checks: { ready: { cluster: () => (answering.isThere() ? undefined : 'its API server has not answered yet') } },
    })
    runs.push(https.run)
    https.listening.then(({ url }) => show({ did: '/metrics and /healthz are served', detail: url })).catch(() => {})
  }
  await runTogether(stop.signal, runs)
  await events.flush(1_000)
  process.exitCode = 0
  process.stdout.write('The Lanyard operator has stopped.\n')
}
