import { addonsHub } from '../addons/hub/index.ts'
import { convertReview } from '../apis/conversion.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import { eventRecorder } from '../kube/events.ts'
import { csrHubDriver } from '../registration/drivers/csr/hub.ts'
import { registrationHub } from '../registration/hub/index.ts'
import type { Address } from '../server/index.ts'
import { serve } from '../server/index.ts'
import { beginProcess } from './begin-process.ts'
import { gatesWith, hubGates } from './feature-gates.ts'
import type { HubOptions } from './hub.ts'
import { accessPort } from './hub.ts'
import { callersOf } from './hub-callers.ts'
import { hubCertificate, hubNames } from './hub-certificate.ts'
import { watchedHubConfig } from './hub-config.ts'
import { checkServer, hubDriversOf } from './hub-drivers.ts'
import { openAsHub } from './hub-identity.ts'
import { hubSettingsOf } from './hub-settings.ts'
import { checkpointFrom } from './kill-at.ts'
import { underElection, untilItAnswers } from './process-parts.ts'
import { progressOn } from './progress.ts'
import type { Stop } from './stop-signal.ts'

/** On a known port, or on any where the hub itself is. */
const besideIt = ({ host, port }: Address): Address => ({ host, port: port === 0 ? 0 : accessPort })

/** `lanyard hub`: until it is stopped. */
export async function runHub(options: HubOptions, stop: Stop): Promise<void> {
  const settings = hubSettingsOf(options)
  const drivers = hubDriversOf(options)
  // Looked at before anything is opened: what is wrong with the flags must not wait for a cluster.
  const byAws = drivers.aws && (await import('./hub-aws.ts'))
  const wish = drivers.aws && byAws?.awsWishOf(drivers.aws)
  const checkpoint = checkpointFrom(process.env['LANYARD_KILL_AT'])
  const { common, limits } = await beginProcess('lanyard-hub', options)
  const { env } = process
  const config = await watchedHubConfig(options.config, { ...common, env })
  const { namespace } = options
  await using opened = await openAsHub(options, { ...common, signal: stop.signal }, limits)
  const { client, given, server } = opened
  const events = eventRecorder(client, { ...common, component: 'lanyard-hub' })
  const parts = { ...common, kube: client, events, checkpoint }
  const { show } = progressOn(process.stdout)
  const check = async (gitVersion: string) => {
    checkServer(drivers, gitVersion)
    await opened.settled(stop.signal)
  }
  const answering = untilItAnswers(given, { ...common, server, show, check })
  const { version: serverVersion } = answering
  using aws = wish && byAws?.hubAws(wish, { ...common, show, serverVersion })
  const ways = [...(aws ? [aws.driver] : []), ...(drivers.csr ? [csrHubDriver] : [])]
  const hub = registrationHub({ ...parts, settings }, ways)
  const addons = addonsHub({ ...parts, clusters: hub.clusters, settings: { labels: settings.labels } })
  const { labels } = settings
  const gates = gatesWith(hubGates, options.featureGates)
  const reach = gates.Reach
    ? (await import('./hub-reach.ts')).hubReach({
        ...parts,
        clusters: hub.clusters,
        labels,
        config: config.reach,
        env,
      })
    : undefined
  const accessListen = options.accessListen ?? besideIt(options.listen)
  const access =
    reach && gates.Access
      ? (await import('./hub-access.ts')).hubAccess({
          ...parts,
          namespace,
          spokes: reach.spokes,
          egress: reach.egress,
          spokeView: reach.view,
          config: config.access,
          listen: accessListen,
          certificate: hubCertificate(client, {
            ...common,
            namespace,
            names: hubNames(namespace, accessListen.host, config.access().url),
          }),
        })
      : undefined
  const release =
    reach && !access
      ? (await import('../access/hub/cluster-finalizer.ts')).clusterRelease({ ...parts, spokeView: reach.view }).run
      : undefined
  const names = hubNames(namespace, options.listen.host, options.webhookUrl)
  const https = serve({
    ...common,
    listen: options.listen,
    certificate: hubCertificate(client, { ...common, namespace, names }),
    webhooks: [...hub.webhooks, ...(reach?.webhooks ?? []), ...(access?.webhooks ?? [])],
    convert: convertReview,
    callers: await callersOf(options),
    checks: { ready: { hub: () => (answering.isThere() ? undefined : 'its API server has not answered yet') } },
  })
  process.stdout.write(`The Lanyard hub starts on ${server}. Press Ctrl-C to stop.\n`)
  https.listening
    .then(({ url }) => show({ did: 'webhooks, /metrics and /healthz are served', detail: url }))
    .catch(() => {})
  access?.listening.then(({ url }) => show({ did: 'people and API servers are answered', detail: url })).catch(() => {})
  const leader = underElection(client, { namespace, name: 'lanyard-hub', flags: options }, common, async (signal) => {
    // Nothing is made for a cluster before the hub knows that this is an API server for it.
    await Promise.race([answering.version(), aborted(signal)])
    if (signal.aborted) return
    if (options.leaderElection) show({ did: 'this process leads', detail: `lease lanyard-hub in ${namespace}` })
    const jobs = [reach, access].flatMap((job) => (job ? [job.leading] : []))
    await runTogether(signal, [hub.run, addons.run, ...jobs, ...(release ? [release] : [])])
  })
  const always = reach ? [reach.everywhere, config.run, ...(access ? [access.everywhere] : [])] : []
  if (aws) always.push(aws.run)
  await runTogether(stop.signal, [https.run, answering.run, leader, ...always])
  await events.flush(1_000)
  process.exitCode = 0
  process.stdout.write('The Lanyard hub has stopped.\n')
}
