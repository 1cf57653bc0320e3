import type { Command } from 'commander'
import { spokeKinds } from '../apis/fleet-kinds.ts'
import { systemClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import { Secret } from '../core/secret.ts'
import { annotations } from '../fleet/names.ts'
import { connect } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import { formatKubeconfig } from '../kube/kubeconfig/index.ts'
import { whyReserved } from '../registration/hub/membership/reserved-names.ts'
import type { AgentInstallation } from '../registration/manifests/agent.ts'
import {
  agentDeploymentManifest,
  agentManifests,
  agentNamespaceManifest,
  agentRbacManifests,
  bootstrapSecretManifest,
} from '../registration/manifests/agent.ts'
import { addonNamespaceManifests } from '../registration/manifests/agent-addons.ts'
import { formerReachManifests } from '../registration/manifests/agent-reach.ts'
import { crdManifests } from '../registration/manifests/crds.ts'
import { installedAddons, tokenLifeWarning } from './addon-flags.ts'
import { installedReach, reachOfferWarning } from './agent-reach.ts'
import { applyManifests, removeManifests } from './apply-manifests.ts'
import { refuseAwsFlags } from './aws-install-flags.ts'
import { calledBy, inCalledForm } from './called.ts'
import { ownImage } from './deploy-print.ts'
import { failures } from './failures.ts'
import { agentGates, gatesWith } from './feature-gates.ts'
import { untilServed } from './init-steps.ts'
import type { JoinOptions } from './join.ts'
import type { TrustWish } from './join-trust.ts'
import { authorityOf, checkToken, publishedInfo, verified } from './join-trust.ts'
import { untilJoined } from './join-wait.ts'
import { certificateFile, readNamedOrInput } from './named-file.ts'
import { openCluster } from './open-cluster.ts'
import { progressOn } from './progress.ts'
import { driverOf, refuseLater } from './registration-drivers.ts'
import type { Stop } from './stop-signal.ts'

const later = {
  managedClusterKubeconfig: '--managed-cluster-kubeconfig',
  grpcServer: '--grpc-server',
  grpcCaFile: '--grpc-ca-file',
  klusterletValuesFile: '--klusterlet-values-file',
  singleton: '--singleton',
}

/** `lanyard join`. The hub is proven and asked before anything is written to the cluster. */
export async function runJoin(options: JoinOptions, command: Command, stop: Stop): Promise<void> {
  checkOptions(options)
  const called = calledBy(command)
  const wish = await trustWish(options)
  const isTerminal = process.stderr.isTTY
  const log = createLog({ level: options.logLevel, pretty: isTerminal, colour: isTerminal })
  const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const warning = tokenLifeWarning(options.addonTokenExpirationSeconds)
  for (const one of [warning, reachOfferWarning(options)]) if (one !== undefined) log.warn(one)
  const isAws = driverOf(options.registrationAuth, '--registration-auth') === 'awsirsa'
  // What a dry run prints is known without the cluster, unless that alone says which one it is.
  const isOpened = !options.dryRun || (isAws && options.managedClusterArn === undefined)
  const opened = isOpened ? await openCluster(options, deps, { qps: 0 }) : undefined
  await using _spoke = opened?.client
  const aws = isAws ? (await import('./join-aws.ts')).joinByAws(options, opened?.cluster) : undefined
  for (const one of aws?.warnings ?? []) log.warn(one)
  const installation = { ...installationOf(options), ...(aws && { aws: aws.installed }) }
  if (options.dryRun || !opened) {
    const planned = [
      ...crdManifests(spokeKinds),
      ...agentManifests(installation),
      bootstrapSecretManifest(options.namespace, ''),
    ]
    process.stdout.write(`${planned.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`).join('\n')}\n`)
    return
  }
  const { client: spoke } = opened
  const progress = progressOn(process.stdout, called)
  try {
    progress.show({ doing: `proving ${wish.server}` })
    const ca = await authorityOf(wish, deps)
    const hub = verified(wish, ca)
    if (!options.skipHubCheck) await checkToken(hub, deps)
    const server = options.forceInternalEndpointLookup ? (await publishedInfo(hub, deps)).server : wish.server
    progress.show({
      did: options.skipHubCheck ? 'the hub was not asked' : 'the hub is the right one, and lets this cluster ask',
      detail: wish.server,
    })

    if (aws && !options.skipAwsPreflight) {
      progress.show({ doing: 'looking at the role of this cluster in IAM' })
      const unclear = await aws.preflight()
      for (const one of unclear) log.warn(one)
      const did =
        unclear.length > 0 ? 'looked at the role of this cluster in IAM' : 'the role of this cluster is in IAM'
      progress.show({ did, detail: aws.installed.roleArn })
    }

    progress.show({ doing: 'installing the agent' })
    const crds = crdManifests(spokeKinds)
    await applyManifests(spoke, crds, stop.signal)
    await untilServed(crds, { ...deps, kube: spoke, timeoutMs: options.timeout * 1_000 })
    const kubeconfig = bootstrapKubeconfig({ ...hub, server })
    await applyManifests(
      spoke,
      [
        agentNamespaceManifest(options.namespace),
        ...addonNamespaceManifests(installation),
        bootstrapSecretManifest(options.namespace, kubeconfig.reveal()),
        ...agentRbacManifests(installation),
        agentDeploymentManifest(installation),
      ],
      stop.signal,
    )
    await removeManifests(spoke, formerReachManifests(installation), stop.signal)
    progress.show({ did: 'the agent is installed', detail: `Deployment lanyard-agent in ${options.namespace}` })
    if (!options.wait) {
      process.stdout.write(inCalledForm(`Now, on the hub: lanyard accept ${options.clusterName}\n`, called))
      return
    }
    await using asking = connect(hub, deps)
    await untilJoined({
      ...deps,
      spoke,
      hub: asking,
      namespace: options.namespace,
      cluster: options.clusterName,
      driver: isAws ? 'awsirsa' : 'csr',
      timeoutMs: options.timeout * 1_000,
      tell: (missing) => progress.show({ doing: `waiting: ${missing}` }),
    })
    progress.show({ did: `${options.clusterName} has joined`, detail: wish.server })
  } catch (error) {
    progress.fail()
    throw error
  }

  /** With everything in it: it is read in a pod that has no files of this machine. */
  function bootstrapKubeconfig({ server, tls }: Connection): Secret {
    // Go programs trust the CA of the cluster for its https proxy as well, and a kubeconfig has no other place for it.
    const ca = [tls.ca, tls.ca === undefined ? undefined : wish.proxyCa].filter((pem) => pem !== undefined).join('\n')
    return formatKubeconfig({
      clusters: [
        {
          name: 'hub',
          value: {
            server,
            ...(ca !== '' && { certificateAuthorityData: ca }),
            ...(wish.proxyUrl && { proxyUrl: wish.proxyUrl }),
          },
        },
      ],
      users: [{ name: 'bootstrap', value: { token: wish.token } }],
      contexts: [{ name: 'bootstrap', value: { cluster: 'hub', user: 'bootstrap' } }],
      currentContext: 'bootstrap',
    })
  }
}

/** All that can be wrong with the command itself. */
function checkOptions(options: JoinOptions): void {
  const { registrationAuth, clusterName, mode } = options
  if (driverOf(registrationAuth, '--registration-auth') === 'awsirsa') {
    if (!options.eksHubClusterArn && !options.hubClusterArn)
      throw failures.DRIVER_NEEDS_FLAG({ driver: registrationAuth, flag: '--eks-hub-cluster-arn' })
  } else refuseAwsFlags(options)
  refuseLater(options, later)
  if (mode !== 'default') throw failures.FLAG_LATER({ flag: `--mode ${mode}` })
  if (clusterName.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(clusterName))
    throw failures.JOIN_BAD_NAME({ name: JSON.stringify(clusterName) })
  const why = whyReserved(clusterName)
  if (why !== undefined) throw failures.JOIN_RESERVED_NAME({ name: clusterName, why })
  if (!URL.canParse(options.hubApiserver) || new URL(options.hubApiserver).protocol !== 'https:')
    throw failures.JOIN_BAD_URL({ flag: '--hub-apiserver', url: JSON.stringify(options.hubApiserver) })
  for (const key of Object.keys(options.klusterletAnnotation ?? {}))
    if (!key.startsWith(annotations.agentPrefix))
      throw failures.JOIN_BAD_ANNOTATION({ key, prefix: annotations.agentPrefix })
  gatesWith(agentGates, options.featureGates)
}

async function trustWish(options: JoinOptions): Promise<TrustWish> {
  const [ca, proxyCa] = await Promise.all([
    options.caFile ? certificateFile(options.caFile, '--ca-file') : undefined,
    options.proxyCaFile ? certificateFile(options.proxyCaFile, '--proxy-ca-file') : undefined,
  ])
  const token = Secret.of(await tokenOf(options))
  if (token.reveal() === '') throw failures.JOIN_NO_TOKEN()
  return {
    server: options.hubApiserver.replace(/\/+$/, ''),
    token,
    ca,
    pins: options.caPin ?? [],
    proxyUrl: options.proxyUrl ? Secret.of(options.proxyUrl) : undefined,
    proxyCa,
  }
}

async function tokenOf({ hubToken, hubTokenFile }: JoinOptions): Promise<string> {
  if (hubTokenFile !== undefined) return (await readNamedOrInput(hubTokenFile, '--hub-token-file')).trim()
  return hubToken ?? ''
}

const installationOf = (options: JoinOptions): AgentInstallation => ({
  namespace: options.namespace,
  image: options.image ?? ownImage,
  clusterName: options.clusterName,
  clientCertExpirationSeconds: options.clientCertExpirationSeconds,
  ...(options.featureGates && { featureGates: options.featureGates }),
  ...(options.klusterletAnnotation && { clusterAnnotations: options.klusterletAnnotation }),
  ...installedAddons(options),
  ...installedReach(options),
})
