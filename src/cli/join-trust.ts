import type { Clock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Random } from '../core/random.ts'
import type { Secret } from '../core/secret.ts'
import { connect } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import { isForbidden, isUnauthorized, KubeFailure } from '../kube/failures.ts'
import { configMaps, selfSubjectAccessReviews } from '../kube/kinds.ts'
import { clusterInfo } from '../registration/manifests/cluster-info.ts'
import { pinnedOnes } from './ca-pin.ts'
import { failures } from './failures.ts'
import type { HubInfo } from './join-cluster-info.ts'
import { bootstrapTokenParts, isSignedWith, readHubInfo } from './join-cluster-info.ts'

export interface TrustWish {
  server: string
  token: Secret
  /** Of --ca-file. */
  ca?: string | undefined
  pins: readonly string[]
  proxyUrl?: Secret | undefined
  proxyCa?: string | undefined
}

export interface TrustDeps {
  clock: Clock
  random: Random
  signal: AbortSignal
}

/**
 * Who vouches for the hub: the CA that was given; the one that the hub shows, once its pin is the one that was given;
 * the one that it shows signed with the bootstrap token; undefined for the system's roots. Nothing secret is sent.
 */
export async function authorityOf(wish: TrustWish, deps: TrustDeps): Promise<string | undefined> {
  const { ca, pins, server, token } = wish
  if (ca !== undefined) return ca
  const parts = bootstrapTokenParts(token)
  if (pins.length > 0) {
    const shown = await shownBy(wish, deps)
    const pinned = pinnedOnes(shown.info.ca, pins)
    if (pinned === undefined) throw failures.JOIN_PIN_MISMATCH({ server })
    return pinned
  }
  if (parts) {
    const shown = await shownBy(wish, deps)
    if (!isSignedWith(parts, shown.kubeconfig, shown.data)) throw failures.JOIN_UNSIGNED({ server })
    return shown.info.ca
  }
  return undefined
}

/** Asked without a credential and without trust: whatever the answer is, it has to be proven. */
async function shownBy(wish: TrustWish, deps: TrustDeps) {
  const { server } = wish
  const options = { mostAnswerBytes: 2 ** 20 }
  await using client = connect({ ...wayTo(wish), tls: { insecureSkipVerify: true } }, { ...deps, options })
  try {
    const { data = {} } = await client
      .of(configMaps, clusterInfo.namespace)
      .get(clusterInfo.name, { signal: deps.signal, deadlineMs: 10_000 })
    const { kubeconfig = '' } = data
    const info = readHubInfo(kubeconfig)
    if (!info) throw failures.JOIN_NO_CLUSTER_INFO({ server, detail: 'kube-public/cluster-info holds none' })
    return { data, kubeconfig, info }
  } catch (error) {
    if (error instanceof KubeFailure)
      throw failures.JOIN_NO_CLUSTER_INFO({ server, detail: `kube-public/cluster-info: ${error.code}` }, error)
    throw explained(error, server)
  }
}

/** The connection that a token may be sent over: verified, always. */
export const verified = (wish: TrustWish, ca: string | undefined): Connection => ({
  ...wayTo(wish),
  tls: { ...(ca !== undefined && { ca }) },
  credentials: async () => ({ authorization: wish.token }),
})

const wayTo = ({ server, proxyUrl, proxyCa }: TrustWish) => ({
  server,
  ...(proxyUrl && { proxyUrl }),
  ...(proxyCa !== undefined && { proxyCa }),
})

const needed = [
  { what: 'create ManagedClusters', group: 'cluster.open-cluster-management.io', resource: 'managedclusters' },
  { what: 'create certificate requests', group: 'certificates.k8s.io', resource: 'certificatesigningrequests' },
]

/** Throws unless the hub lets whoever has the token ask to join. */
export async function checkToken(connection: Connection, deps: TrustDeps): Promise<void> {
  const { server } = connection
  await using client = connect(connection, deps)
  try {
    for (const { what, group, resource } of needed) {
      const { status } = await client
        .of(selfSubjectAccessReviews)
        .create(
          { spec: { resourceAttributes: { verb: 'create', group, resource } } },
          { signal: deps.signal, deadlineMs: 10_000 },
        )
      if (!status?.allowed) throw failures.JOIN_TOKEN_POWERLESS({ server, what })
    }
  } catch (error) {
    if (isUnauthorized(error)) throw failures.JOIN_TOKEN_REFUSED({ server }, error)
    // Without a review we do not know; whoever may join finds out.
    if (isForbidden(error)) return
    throw explained(error, server)
  }
}

/** What the hub publishes, asked over a connection that is trusted. */
export async function publishedInfo(connection: Connection, deps: TrustDeps): Promise<HubInfo> {
  const { server } = connection
  await using client = connect(connection, deps)
  const { data = {} } = await client
    .of(configMaps, clusterInfo.namespace)
    .get(clusterInfo.name, { signal: deps.signal })
    .catch((error: unknown) => {
      throw error instanceof KubeFailure
        ? failures.JOIN_NO_CLUSTER_INFO({ server, detail: `kube-public/cluster-info: ${error.code}` }, error)
        : explained(error, server)
    })
  const info = readHubInfo(data['kubeconfig'] ?? '')
  if (!info) throw failures.JOIN_NO_CLUSTER_INFO({ server, detail: 'kube-public/cluster-info holds none' })
  return info
}

function explained(error: unknown, server: string): unknown {
  if (isFailure(error, 'KUBE_UNTRUSTED'))
    return failures.JOIN_HUB_UNTRUSTED({ server, detail: error.params['detail'] }, error)
  if (isFailure(error, 'KUBE_UNREACHABLE') || isFailure(error, 'KUBE_DEADLINE'))
    return failures.JOIN_HUB_UNREACHABLE({ server, detail: error.params['detail'] ?? 'no answer in time' }, error)
  return error
}
