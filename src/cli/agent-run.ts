import { addonAgent } from '../addons/agent/index.ts'
import { systemClock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { connect } from '../kube/client/index.ts'
import { handoverAgent, noHandover } from '../reach/handover/agent.ts'
import { registrationAgent } from '../registration/agent/index.ts'
import { selfSigned, serve } from '../server/index.ts'
import { tokenLifeWarning } from './addon-flags.ts'
import type { AgentOptions } from './agent.ts'
import { addonSettingsOf } from './agent-addons.ts'
import { agentDriverOf } from './agent-driver.ts'
import { handoverSettingsOf, reachOfferWarning } from './agent-reach.ts'
import { agentSettingsOf } from './agent-settings.ts'
import { beginProcess } from './begin-process.ts'
import { checkpointFrom } from './kill-at.ts'
import { openCluster } from './open-cluster.ts'
import { underElection } from './process-parts.ts'
import { progressOn } from './progress.ts'
import type { Stop } from './stop-signal.ts'

/** `lanyard agent`: until it is stopped. */
export async function runAgent(options: AgentOptions, stop: Stop): Promise<void> {
  // Looked at before anything is opened: what is wrong with the flags must not wait for a cluster.
  agentSettingsOf(options, { namespace: '' })
  const driver = await agentDriverOf(options, { env: process.env, clock: systemClock })
  const checkpoint = checkpointFrom(process.env['LANYARD_KILL_AT'])
  const { common, limits } = await beginProcess('lanyard-agent', options)
  const warning = tokenLifeWarning(options.addonTokenExpirationSeconds)
  for (const one of [warning, reachOfferWarning(options)]) if (one !== undefined) common.log.warn(one)
  const management = await openCluster(options, { ...common, signal: stop.signal }, limits)
  await using _management = management.client
  const spoke = options.spokeKubeconfig
    ? await openCluster({ kubeconfig: options.spokeKubeconfig }, { ...common, signal: stop.signal }, limits)
    : management
  await using _spoke = spoke.client
  const settings = agentSettingsOf(options, { namespace: management.namespace, spokeCa: spoke.connection.tls.ca })
  const parts = { ...common, management: management.client, spoke: spoke.client, checkpoint }
  const addons = addonSettingsOf(options, settings.namespace)
  const offer = handoverSettingsOf(options, settings.namespace, spoke.connection)
  const jobs = [
    ...(addons ? [addonAgent({ ...parts, settings: addons })] : []),
    offer
      ? handoverAgent({ ...parts, settings: offer })
      : noHandover({ ...parts, settings: { namespace: settings.namespace } }),
  ]
  const agent = registrationAgent(
    { ...parts, connect: (connection) => connect(connection, { ...common, options: limits }), settings },
    {
      ...(driver && { driver }),
      alongside: (joined) => (signal) =>
        runTogether(
          signal,
          jobs.map((job) => job.on(joined)),
        ),
    },
  )
  const { show } = progressOn(process.stdout)
  process.stdout.write(`The Lanyard agent starts on ${spoke.connection.server}. Press Ctrl-C to stop.\n`)
  const runs: Run[] = [
    underElection(
      management.client,
      { namespace: settings.namespace, name: 'lanyard-agent', flags: options },
      common,
      agent.run,
    ),
  ]
  if (options.listen) {
    const https = serve({
      ...common,
      listen: options.listen,
      certificate: selfSigned({ names: { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, clock: systemClock }),
      // The agent helps itself: a restart would change nothing, so nothing of it makes /healthz fail.
      checks: { ready: { hub: () => whyNot(agent.health()) } },
    })
    runs.push(https.run)
    https.listening.then(({ url }) => show({ did: '/metrics and /healthz are served', detail: url })).catch(() => {})
  }
  await runTogether(stop.signal, runs)
  process.exitCode = 0
  process.stdout.write('The Lanyard agent has stopped.\n')
}

const whyNot = (health: ReturnType<ReturnType<typeof registrationAgent>['health']>): string | undefined =>
  health === 'ok' ? undefined : `${health.failing}: ${health.message}`
