import type { ClusterConfig } from '../apis/breakglass/cluster-config.ts'
import { ClusterConfig as ClusterConfigs } from '../apis/breakglass/cluster-config.ts'
import { after } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { done } from '../core/outcome.ts'
import type { Secret } from '../core/secret.ts'
import type { Step } from '../core/step.ts'
import type { EmbeddedOptions } from '../embedded/index.ts'
import { user } from '../fleet/manifests/rbac.ts'
import { hubNamespace } from '../fleet/names.ts'
import { spokeRbacManifests } from '../fleet/spoke/rbac.ts'
import { controller } from '../kube/controller.ts'
import { informer, withoutManagedFields } from '../kube/informer.ts'
import type { Kube } from '../kube/kube.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../kube/kubeconfig/index.ts'
import { generateKey, issueCertificate } from '../pki/index.ts'
import { storeReach } from '../reach/operations/add.ts'
import type { ReachWish } from '../reach/operations/add-plan.ts'
import { requestCheck } from '../reach/operations/check.ts'
import { clusterConfigOverview } from '../reach/overview/cluster-config-overview.ts'
import { applyManifests } from './apply-manifests.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OwnCluster } from './own-cluster.ts'
import type { OwnIdentityProvider } from './own-identity-provider.ts'

export interface ReachNews {
  clusters: number
  /** Of the hub, for the command that is told. */
  kubeconfig: string
  show(step: Step): void
  /** Called when the hub got into a cluster. */
  onReached?(cluster: string, auth: 'Kubeconfig' | 'OIDC'): void
}

export interface OwnReach {
  readonly run: Run
  /** Of a cluster that is about to start: whose tokens it takes. Nothing where the hub comes by kubeconfig. */
  oidcOf(at: number): Promise<Pick<EmbeddedOptions, 'oidc'>>
  /** Gives the hub a way into it, once: who takes it away is not contradicted before the next start. */
  addOn(cluster: OwnCluster, at: number): void
}

/** Clusters of which each is told. */
const few = 10
const hubUser = 'lanyard-hub'
const audience = 'lanyard-up'
const oidcPrefix = 'oidc:'
const certificateLifeMs = 365 * 86_400_000

/** Who the hub is on a cluster. */
export const hubUserOn = (at: number): string => (comesByOidc(at) ? `${oidcPrefix}${hubUser}` : hubUser)

/** The first by kubeconfig, the second by OIDC, and so on. */
export const comesByOidc = (at: number): boolean => at % 2 === 1

/** Ways into our own clusters, one half by kubeconfig, the other by tokens of our own identity provider. */
export function ownReach(
  kube: Kube,
  provider: () => Promise<OwnIdentityProvider>,
  news: ReachNews,
  deps: Omit<CommandDeps, 'signal'>,
): OwnReach {
  const started = new Map<string, { cluster: OwnCluster; at: number }>()
  const adding = controller(
    'own-reach',
    async (name, { signal }) => {
      const found = started.get(name)
      if (!found) return done
      const { cluster, at } = found
      await applyManifests(cluster.plane.kube, spokeRbacManifests(user(hubUserOn(at))), signal)
      const wish = await wishOf(cluster, at)
      await storeReach(wish, { kube, signal })
      // Where nothing has changed since the last start, the hub looked before there was anything to see.
      await requestCheck(wish, { ...deps, kube, signal })
      return done
    },
    deps,
  )

  async function wishOf({ name, plane }: OwnCluster, at: number): Promise<ReachWish> {
    const common = { name, namespace: hubNamespace }
    if (!comesByOidc(at)) return { ...common, by: 'kubeconfig', kubeconfig: await kubeconfigOf(plane, deps) }
    const { issuer, caPem, clientId, clientSecret } = await provider()
    const trusted = { issuer, issuerCa: caPem, ca: plane.identities.serverCa.certPem }
    return { ...common, ...trusted, by: 'oidc', server: plane.url, clientId, clientSecret, audience }
  }

  return {
    run: (signal) =>
      runTogether(signal, [adding.run, reachNews(kube, { ...news, isOwn: (name) => started.has(name) }, deps)]),
    async oidcOf(at) {
      if (!comesByOidc(at)) return {}
      const { issuer, caPem } = await provider()
      return { oidc: { issuerUrl: issuer, caPem, clientId: audience, usernamePrefix: oidcPrefix } }
    },
    addOn(cluster, at) {
      started.set(cluster.name, { cluster, at })
      adding.enqueue(cluster.name)
    },
  }
}

/** As a user of few rights: what the administrator of a cluster would hand out. */
async function kubeconfigOf(
  { url, identities }: OwnCluster['plane'],
  { clock }: Pick<CommandDeps, 'clock'>,
): Promise<Secret> {
  const { keyPem, publicKeyPem } = generateKey()
  const certPem = await issueCertificate(
    identities.clientCa,
    { subject: { commonName: hubUser }, publicKeyPem },
    { usages: ['client'], notBefore: after(clock.now(), -300_000), notAfter: after(clock.now(), certificateLifeMs) },
  )
  return formatKubeconfig(
    withContext(emptyKubeconfig, {
      cluster: { server: url, certificateAuthorityData: identities.serverCa.certPem },
      user: { clientCertificateData: certPem, clientKeyData: keyPem },
      names: { cluster: 'cluster', user: hubUser, context: 'cluster' },
    }),
  )
}

/** Says of each cluster of ours that the hub got into it; of many only when it got into all. */
export function reachNews(
  kube: Kube,
  news: ReachNews & { isOwn(name: string): boolean },
  deps: Omit<CommandDeps, 'signal'>,
): Run {
  const { clusters, kubeconfig, show, isOwn } = news
  const startedAt = deps.clock.now()
  /** What was seen before this start does not count. */
  const isSeen = ({ status }: ClusterConfig) => new Date(status?.answeredCheck ?? 0) >= startedAt
  const configs = informer<ClusterConfig>(kube.of(ClusterConfigs.resource, hubNamespace), {
    ...deps,
    transform: withoutManagedFields,
  })
  const reached = new Set<string>()
  configs.on(({ type, object }) => {
    const { name, ready, auth } = clusterConfigOverview(object)
    if (type === 'deleted') reached.delete(name)
    else if (ready === 'True' && isOwn(name) && !reached.has(name) && isSeen(object)) {
      reached.add(name)
      if (clusters <= few) show({ did: `the hub gets into ${name}`, detail: waysIn[auth] })
      if (reached.size === clusters)
        show({ did: 'the hub gets into all of them', detail: `lanyard reach list --kubeconfig ${kubeconfig}` })
      news.onReached?.(name, auth)
    }
  })
  return configs.run
}

const waysIn = { Kubeconfig: 'by a kubeconfig', OIDC: 'by a token of the embedded identity provider' }
