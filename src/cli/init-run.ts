import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
import { replaceFile } from '../core/replace-file.ts'
import { hubNamespace } from '../fleet/names.ts'
import type { Connection } from '../kube/connection.ts'
import { hubArguments } from '../registration/manifests/hub.ts'
import type { HubAws } from '../registration/manifests/hub-aws.ts'
import { applyManifests, removeManifests } from './apply-manifests.ts'
import { calledBy, inCalledForm } from './called.ts'
import { failures } from './failures.ts'
import { gatesWith, hubGates } from './feature-gates.ts'
import { hubSettingsOf } from './hub-settings.ts'
import type { InitOptions } from './init.ts'
import { hubRoleWarnings, initDriversOf, mustServe } from './init-drivers.ts'
import { namesIn, planInit } from './init-plan.ts'
import { signingWarning, trySigning } from './init-signing.ts'
import type { InitDeps } from './init-steps.ts'
import { ensureAuthority, publishAuthority, untilAvailable, untilServed } from './init-steps.ts'
import { commandToJoin, invitationData, invitationTo, isLoopback } from './join-invitation.ts'
import { openCluster } from './open-cluster.ts'
import type { Progress } from './progress.ts'
import { progressOn, silentProgress } from './progress.ts'
import type { RegistrationDriver } from './registration-drivers.ts'
import { refuseLater } from './registration-drivers.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'
import { issueJoinToken } from './token-issue.ts'

const later = {
  autoApprovedGrpcIdentities: '--auto-approved-grpc-identities',
  grpcServer: '--grpc-server',
  grpcEndpointType: '--grpc-endpoint-type',
}

const joinTokenMs = 3_600_000

/** `lanyard init`. Everything wrong with the command is told before anything changes. */
export async function runInit(options: InitOptions, command: Command, stop: Stop): Promise<void> {
  const drivers = initDriversOf(options)
  refuseLater(options, later)
  const users = options.autoApprovedCsrIdentities
  hubSettingsOf({ ...options, ...(users && { autoApprovedCsrUsers: users }), leaseGraceFactor: 5, unjoinGrace: 0 })
  const { settings, log } = await loadSettings(command)
  const namespace = settings.namespace ?? hubNamespace
  const common = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  // What a dry run prints is known without a cluster, unless that alone says which one it is.
  const isOpened = !options.dryRun || (drivers.includes('awsirsa') && options.hubClusterArn === undefined)
  const opened = isOpened ? await openCluster(settings, common, { qps: 0 }) : undefined
  await using _client = opened?.client
  const aws = drivers.includes('awsirsa')
    ? (await import('./aws-install.ts')).hubAwsOf(options, opened?.cluster)
    : undefined
  const installed = {
    namespace,
    registrationDrivers: drivers,
    ...(aws && { aws }),
    ...(options.featureGates && { featureGates: options.featureGates }),
    ...(users && { autoApprovedUsers: users }),
  }
  const { image, webhookUrl } = options
  const { Reach: reach, Access: access } = gatesWith(hubGates, options.featureGates)
  const wish = { namespace, webhookUrl, reach, access, aws, installation: image ? { ...installed, image } : undefined }
  if (options.dryRun || !opened) {
    process.stdout.write(`${namesIn(planInit(wish, '')).join('\n')}\n`)
    return
  }

  const { client, connection } = opened
  const deps: InitDeps = { ...common, kube: client, timeoutMs: options.timeout * 1_000 }
  const progress = options.output === 'json' ? silentProgress : progressOn(process.stdout, calledBy(command))
  const warnings: string[] = []
  try {
    progress.show({ doing: `asking ${connection.server}` })
    const version = await mustServe(drivers, deps)
    progress.show({ did: 'the hub answers', detail: `${connection.server}, ${version}` })
    if (aws?.creatorRoleArn && !options.skipAwsPreflight) warnings.push(...(await hubRoleWarnings(aws.hub, namespace)))
    warnings.push(...(await prepare({ options, drivers, wish, connection, namespace, progress }, deps)))
  } catch (error) {
    progress.fail()
    throw error
  }
  for (const warning of warnings) process.stderr.write(`lanyard: warning: ${warning}\n`)

  const token = await issueJoinToken({
    ...deps,
    server: connection.server,
    useBootstrapToken: options.useBootstrapToken ?? false,
    lifetimeMs: joinTokenMs,
  })
  // Where both ways lead in, the other is for whoever knows of it.
  const hubClusterArn = drivers.includes('csr') ? undefined : aws?.hubClusterArn
  const invitation = { ...invitationTo(connection, token, options.hubApiserver), hubClusterArn }
  const hubCommand = [
    'lanyard',
    ...hubArguments(installed).map(forShell),
    ...(webhookUrl ? [`--webhook-url=${webhookUrl}`] : []),
    ...(webhookUrl && isLoopback(webhookUrl) ? [`--listen=${hostOf(webhookUrl)}`] : []),
    ...(settings.kubeconfig ? [`--kubeconfig=${settings.kubeconfig}`] : []),
    ...(settings.context ? [`--context=${settings.context}`] : []),
  ].join(' ')
  if (options.outputJoinCommandFile) await writeJoinCommand(options.outputJoinCommandFile, commandToJoin(invitation))
  if (options.output === 'json') {
    const result = { ...invitationData(invitation), namespace, 'hub-command': hubCommand, warnings }
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return
  }
  const next = [...runsTheHub(options, hubCommand), ...invites(invitation), ...whoAccepts(aws)]
  process.stdout.write(inCalledForm(`\n${next.join('\n')}\n`, calledBy(command)))
}

/** ARN patterns are full of what a shell takes for its own. */
const forShell = (text: string): string => (/^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** With its port, which a URL of https may leave out. */
function hostOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || 443}`
}

interface Preparation {
  options: InitOptions
  drivers: readonly RegistrationDriver[]
  wish: Parameters<typeof planInit>[0]
  connection: Connection
  namespace: string
  progress: Progress
}

/** In an order that may be cut anywhere and begun again. Returns what people should be warned of. */
async function prepare(given: Preparation, deps: InitDeps): Promise<string[]> {
  const { options, drivers, wish, connection, namespace, progress } = given
  const { kube, signal } = deps
  const { show } = progress
  show({ doing: 'installing identities and rights' })
  await applyManifests(kube, planInit(wish, '').identities, signal)
  const plan = planInit(wish, await ensureAuthority(namespace, deps))
  await removeManifests(kube, plan.gone, signal)
  show({ did: 'identities, rights and the CA of the hub are in place', detail: `namespace ${namespace}` })

  show({ doing: 'installing kinds' })
  await applyManifests(kube, plan.crds, signal)
  await untilServed(plan.crds, deps)
  show({ did: 'the kinds of a hub are served', detail: `${plan.crds.length} of them` })

  if (await publishAuthority(connection, options.hubApiserver ?? connection.server, deps))
    show({ did: 'anybody may read the CA of this cluster now', detail: 'kube-public/cluster-info' })

  const warning = drivers.includes('csr') ? await signingTrial(options.csrCheckSeconds, progress, deps) : undefined

  show({ doing: 'installing webhooks' })
  await applyManifests(kube, plan.webhooks, signal)
  show({ did: 'webhooks are installed', detail: options.webhookUrl ?? `Service lanyard-hub in ${namespace}` })
  if (plan.hub.length > 0) {
    await applyManifests(kube, plan.hub, signal)
    show({ did: 'the hub is deployed', detail: `Deployment lanyard-hub in ${namespace}` })
    if (options.wait) {
      show({ doing: 'waiting until the hub is ready' })
      await untilAvailable(namespace, deps)
      show({ did: 'the hub is ready' })
    }
  }
  return warning ? [warning] : []
}

async function signingTrial(seconds: number, { show }: Progress, deps: InitDeps): Promise<string | undefined> {
  show({ doing: 'trying whether client certificates are signed' })
  const verdict = await trySigning({ ...deps, patienceMs: seconds * 1_000 })
  const warning = signingWarning(verdict, seconds)
  show({ did: warning ? 'tried whether client certificates are signed' : 'client certificates are signed' })
  return warning
}

function runsTheHub({ image, webhookUrl }: InitOptions, hubCommand: string): string[] {
  if (image) return []
  const elsewhere = webhookUrl
    ? []
    : [
        'Its webhooks are expected behind the Service lanyard-hub. Run it there (`lanyard deploy hub`), or repeat init with',
      ]
  return [
    ...elsewhere,
    ...(webhookUrl
      ? []
      : ['--webhook-url where it listens otherwise. Until it runs, no cluster can be added or changed.']),
    'To run the hub:',
    `  ${hubCommand}`,
    '',
  ]
}

const invites = (invitation: Parameters<typeof commandToJoin>[0]): string[] => [
  'To let a cluster ask to join, run on it within the next hour:',
  `  ${commandToJoin(invitation)}`,
  ...(isLoopback(invitation.server)
    ? ['', `${invitation.server} leads nowhere from another machine; --hub-apiserver gives another address.`]
    : []),
  '',
  'Then, on the hub: lanyard accept <cluster_name>',
]

/** Clusters on EKS need a role each, which somebody has to make. */
const whoAccepts = (aws: HubAws | undefined): string[] =>
  aws && !aws.creatorRoleArn
    ? [`It makes the role of a cluster on EKS with your own AWS credentials, of the account of ${aws.hubClusterArn}.`]
    : []

/** It holds a token. */
async function writeJoinCommand(path: string, text: string): Promise<void> {
  try {
    await replaceFile(resolve(path), `${text}\n`)
  } catch (error) {
    const detail = (error as NodeJS.ErrnoException).code
    throw failures.FILE_UNWRITABLE({ path, flag: '--output-join-command-file', detail }, error)
  }
}
