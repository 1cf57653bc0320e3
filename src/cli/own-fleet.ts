import { dirname, join } from 'node:path'
import { addonsHub } from '../addons/hub/index.ts'
import { convertReview } from '../apis/conversion.ts'
import { passBy } from '../core/checkpoint.ts'
import { loadConfig } from '../core/config.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Step } from '../core/step.ts'
import { hubNamespace } from '../fleet/names.ts'
import { connect } from '../kube/client/index.ts'
import { eventRecorder } from '../kube/events.ts'
import { defaultHubSettings } from '../registration/hub/deps.ts'
import { registrationHub } from '../registration/hub/index.ts'
import { bootstrapUser } from '../registration/manifests/bootstrap.ts'
import { serve } from '../server/index.ts'
import { applyManifests } from './apply-manifests.ts'
import { configSchema } from './config-schema.ts'
import { hubAccess } from './hub-access.ts'
import { hubCertificate, hubNames } from './hub-certificate.ts'
import type { WatchedHubConfig } from './hub-config.ts'
import { hubIdentity } from './hub-identity.ts'
import { hubReach } from './hub-reach.ts'
import { planInit } from './init-plan.ts'
import { ensureAuthority, untilServed } from './init-steps.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OpenGlass } from './own-access.ts'
import { auditFileIn, ownAccess, portAsBefore } from './own-access.ts'
import { ownAddon } from './own-addon.ts'
import { agentOn, startOwnCluster } from './own-cluster.ts'
import { fleetNews } from './own-fleet-news.ts'
import type { OwnHub } from './own-hub.ts'
import type { OwnIdentityProvider } from './own-identity-provider.ts'
import { ownReach } from './own-reach.ts'
import { issueJoinToken } from './token-issue.ts'

export interface FleetWish {
  /** Each cluster has a folder in it. */
  dir: string
  clusters: number
  /** Clusters wait until somebody accepts them. */
  manual: boolean
  show(step: Step): void
  /** Called when a cluster has joined and is available. */
  onJoined?(cluster: string): void
  /** Called when all clusters are. */
  onComplete?(): void
  /** Called when the hub got into a cluster. */
  onReached?(cluster: string, auth: 'Kubeconfig' | 'OIDC'): void
  /** Absent: as it is by default, for good. */
  config?: WatchedHubConfig
  /** Called when people can ask for access to the clusters. */
  onOpen?(open: OpenGlass): void
}

const namespace = hubNamespace
const host = '127.0.0.1'
const tokenLifeMs = 30 * 86_400_000
const patienceMs = 30_000

/** A hub and its clusters in this process: what `lanyard init`, `hub`, `join` and `agent` do elsewhere. */
export const ownFleet =
  ({ client: kube, connection, server, plane }: OwnHub, wish: FleetWish, given: CommandDeps): Run =>
  async (signal) => {
    const { dir, clusters, manual, show } = wish
    const deps = { ...given, metrics: await createMetrics({ process: true }), signal, kube, timeoutMs: patienceMs }
    const data = dirname(dir)
    let starting: Promise<OwnIdentityProvider> | undefined
    const provider = () => (starting ??= startProvider(join(data, 'identity-provider'), deps))
    await using opened = new AsyncDisposableStack()
    // One that is only about to start when everything ends is waited for: nobody else would ever close it.
    opened.defer(async () => (await starting?.catch(() => undefined))?.[Symbol.asyncDispose]())
    // Meanwhile the hub is prepared.
    if (clusters > 0) provider().catch(() => {})
    show({ doing: 'preparing the hub' })
    await applyManifests(kube, planInit({ namespace }, '').identities, signal)
    const caPem = await ensureAuthority(namespace, deps)
    // As `lanyard hub` does: what people write by hand must not be taken for what the hub writes.
    const identity = hubIdentity({ ...deps, connection, namespace })
    const asHub = opened.use(connect(identity.connection, deps))
    const parts = {
      ...deps,
      kube: asHub,
      events: eventRecorder(asHub, { ...deps, component: 'lanyard-hub' }),
      checkpoint: passBy,
    }
    const hub = registrationHub({
      ...parts,
      settings: { ...defaultHubSettings, autoApprovedUsers: manual ? undefined : [bootstrapUser] },
    })
    const addons = addonsHub({ ...parts, clusters: hub.clusters, settings: { labels: {} } })
    const config = wish.config ?? (await defaultConfig())
    const auditFile = auditFileIn(data)
    // No environment: these clusters are where their loopback addresses say, also in a pod.
    const reach = hubReach({ ...parts, clusters: hub.clusters, labels: {}, config: config.reach, env: {} })
    const certificate = hubCertificate(asHub, { ...deps, namespace, names: hubNames(namespace, host) })
    const access = hubAccess({
      ...parts,
      namespace,
      spokes: reach.spokes,
      egress: reach.egress,
      spokeView: reach.view,
      // Not to standard output, which is for whoever started it.
      config: () => ({ auditFile, ...config.access() }),
      listen: { host, port: await portAsBefore(data, host) },
      certificate,
    })
    const hello = ownAddon(kube, clusters, given)
    const controllers = [
      hub.run,
      addons.run,
      reach.everywhere,
      reach.leading,
      access.everywhere,
      access.leading,
      config.run,
    ]
    const https = serve({
      ...deps,
      listen: { host, port: 0 },
      certificate,
      webhooks: [...hub.webhooks, ...reach.webhooks, ...access.webhooks],
      convert: convertReview,
    })

    const members: Run = async (stop) => {
      const asked = { ...deps, server, useBootstrapToken: false, lifetimeMs: tokenLifeMs }
      const { token } = await issueJoinToken(asked)
      const invitation = { server, caPem: plane.identities.serverCa.certPem, token }
      const names = Array.from({ length: clusters }, (_, at) => `cluster${at + 1}`)
      const url = async () => (await access.listening).url
      const kubeconfig = plane.adminKubeconfigPath
      const place = { data, caPem, hubKubeconfig: kubeconfig, provider, url }
      const glass = ownAccess({ ...deps, ...place, signal: stop, onOpen: wish.onOpen })
      const reached = new Set<string>()
      const onReached: FleetWish['onReached'] = (cluster, auth) => {
        wish.onReached?.(cluster, auth)
        if (reached.add(cluster).size === clusters) glass.tellSoon(show, join(dir, 'cluster1'))
      }
      const waysIn = ownReach(kube, provider, { ...wish, kubeconfig, onReached }, given)
      let previous: Promise<unknown> = Promise.resolve()
      // One starts at a time, and joins while the next one starts.
      const member =
        (name: string, at: number): Run =>
        async (until) => {
          const starting = previous.then(async () =>
            startOwnCluster(join(dir, name), name, deps, {
              ...(await waysIn.oidcOf(at)),
              authorizationConfig: await glass.authorizationOf(name, join(dir, name), at),
            }),
          )
          previous = starting.catch(() => {})
          await using cluster = await starting
          await glass.prepare(cluster)
          waysIn.addOn(cluster, at)
          await runTogether(until, [agentOn(cluster, invitation, deps), hello.on(cluster)])
        }
      const onJoined = (cluster: string) => {
        hello.enableOn(cluster)
        wish.onJoined?.(cluster)
      }
      show({ doing: `starting ${clusters} clusters` })
      await runTogether(stop, [
        ...names.map(member),
        hello.run,
        waysIn.run,
        glass.run,
        fleetNews({ ...wish, kubeconfig, onJoined }, deps),
      ])
    }

    /** The server comes first: its port is what the webhooks are called at. */
    const work: Run = async (stop) => {
      const { url } = await https.listening
      const plan = planInit({ namespace, webhookUrl: url }, caPem)
      await applyManifests(kube, plan.crds, stop)
      await untilServed(plan.crds, deps)
      await applyManifests(kube, plan.webhooks, stop)
      show({ did: 'the hub is prepared', detail: `metrics at ${url}/metrics` })
      // Before the hub looks whether it is there, as it would at a second start.
      if (clusters > 0) await provider()
      await runTogether(stop, clusters > 0 ? [...controllers, members] : controllers)
    }
    await runTogether(signal, [https.run, work])
  }

async function defaultConfig(): Promise<WatchedHubConfig> {
  const { config } = await loadConfig(configSchema, {})
  return { reach: () => config.reach, access: () => config.access, run: aborted }
}

async function startProvider(dir: string, deps: CommandDeps): Promise<OwnIdentityProvider> {
  const { startOwnIdentityProvider } = await import('./own-identity-provider.ts')
  return await startOwnIdentityProvider(dir, deps)
}
