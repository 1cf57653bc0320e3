import { isDeepStrictEqual } from 'node:util'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Reason } from '../../../core/reason.ts'
import type { ClusterRequest } from '../../../fleet/csr/approval.ts'
import { decisionOn, judgeClusterRequest } from '../../../fleet/csr/approval.ts'
import { byAge } from '../../../fleet/csr/superseded.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Issued } from './hub-record.ts'
import { issuedFor } from './hub-record.ts'

export interface SeenRequest extends ClusterRequest {
  /** When the hub saw it first, by its own clock. */
  seenAt: Date
  /** The certificate it came to. */
  issued: Issued | undefined
}

export interface ClusterRequests {
  /**
   * The valid requests of a cluster, the oldest first: decided ones too, but not what was decided for an earlier cluster
   * of the same name: as far as this hub saw that one go, or its times tell.
   */
  of(cluster: string): SeenRequest[]
  /**
   * This hub has approved it for this cluster: it counts as such at once, for the watch may tell later than it brings
   * another request, and it is none of the next cluster of that name.
   */
  noteApproval(request: SeenRequest, cluster: Stored<ManagedCluster>): void
}

type Csr = Stored<CertificateSigningRequest>

type Verdict = { readonly labels: Csr['metadata']['labels'] } & (
  | { readonly asks: Omit<ClusterRequest, 'csr'> }
  | { readonly asks?: never; readonly why: Reason }
)

interface Watched {
  csrs: Pick<Informer<CertificateSigningRequest, 'cluster'>, 'on' | 'byIndex'>
  clusters: Pick<Informer<ManagedCluster>, 'on' | 'get'>
}

/** Reads each version of a CSR once: they stay for an hour after their certificate was issued. */
export function clusterRequests({ csrs, clusters }: Watched, clock: Clock): ClusterRequests {
  const seenAt = new Map<string, Date>()
  const ofEarlierClusters = new Set<string>()
  const verdicts = new Map<string, Verdict>()
  /** Which cluster each request was approved for by this hub, by uids. */
  const approvedFor = new Map<string, string>()
  // By its own approvals, whatever the two clocks say; by times otherwise.
  const isOfEarlier = (csr: Csr, cluster: Stored<ManagedCluster> | undefined): boolean => {
    const own = approvedFor.get(csr.metadata.uid)
    if (ofEarlierClusters.has(csr.metadata.uid)) return true
    return own === undefined ? isOlderThan(csr, cluster) : own !== cluster?.metadata.uid
  }
  // Never given back: they live as long as the informers.
  csrs.on(({ type, object }) => {
    const { metadata } = object
    if (type !== 'deleted' && !seenAt.has(metadata.uid)) seenAt.set(metadata.uid, clock.now())
    // It was approved in the version that was watched: an open one after that is of a server that was set back.
    if (type === 'updated' && decisionOn(object) === 'none') approvedFor.delete(metadata.uid)
    if (type !== 'deleted') return
    seenAt.delete(metadata.uid)
    ofEarlierClusters.delete(metadata.uid)
    verdicts.delete(metadata.uid)
    approvedFor.delete(metadata.uid)
  })
  clusters.on(({ type, object: { metadata } }) => {
    if (type !== 'deleted') return
    for (const csr of csrs.byIndex('cluster', metadata.name))
      if (decisionOn(csr) !== 'none') ofEarlierClusters.add(csr.metadata.uid)
  })
  /** What a CSR asks for cannot change, only its labels can; and its signature takes long to check. */
  const judgeOnce = (csr: Csr): ReturnType<typeof judgeClusterRequest> => {
    const { uid, labels } = csr.metadata
    const known = verdicts.get(uid)
    if (known && isDeepStrictEqual(known.labels, labels)) return known.asks ? { ...known.asks, csr } : known.why
    const judged = judgeClusterRequest(csr)
    if (typeof judged === 'string') {
      verdicts.set(uid, { labels, why: judged })
      return judged
    }
    const { csr: _, ...asks } = judged
    verdicts.set(uid, { labels, asks })
    return judged
  }
  const read = new WeakMap<Csr, SeenRequest | 'not ours'>()
  const readOnce = (csr: Csr): SeenRequest | 'not ours' => {
    const known = read.get(csr)
    if (known) return known
    const judged = judgeOnce(csr)
    const request =
      typeof judged === 'string'
        ? 'not ours'
        : { ...judged, seenAt: seenAt.get(csr.metadata.uid) ?? clock.now(), issued: issuedFor(judged) }
    read.set(csr, request)
    return request
  }
  return {
    of: (cluster) =>
      csrs
        .byIndex('cluster', cluster)
        .filter((csr) => !isOfEarlier(csr, clusters.get(cluster)))
        .map(readOnce)
        .filter((request) => request !== 'not ours')
        .map((request) => (approvedFor.has(request.csr.metadata.uid) ? asApproved(request) : request))
        .sort((a, b) => byAge(a.csr, b.csr)),
    noteApproval({ csr: { metadata } }, cluster) {
      // What is gone by now will not go again.
      if (seenAt.has(metadata.uid)) approvedFor.set(metadata.uid, cluster.metadata.uid)
    },
  }
}

function asApproved(request: SeenRequest): SeenRequest {
  const { csr } = request
  if (decisionOn(csr) !== 'none') return request
  const conditions = [...(csr.status?.conditions ?? []), { type: 'Approved', status: 'True' }]
  return { ...request, csr: { ...csr, status: { ...csr.status, conditions } } }
}

/**
 * Whether a request was asked and decided before the cluster was there. The decision's time alone is by the clock of
 * whoever decided, and an agent may ask before it creates its cluster.
 */
function isOlderThan(csr: Csr, cluster: Stored<ManagedCluster> | undefined): boolean {
  const createdAt = timeOf(cluster?.metadata.creationTimestamp)
  if (decisionOn(csr) === 'none' || !(timeOf(csr.metadata.creationTimestamp) < createdAt)) return false
  const decidedAt = csr.status?.conditions?.map(({ lastUpdateTime }) => timeOf(lastUpdateTime)) ?? []
  return decidedAt.every((time) => time < createdAt)
}

/** Not a number where there is none: then no comparison holds. */
const timeOf = (time: string | undefined): number => Date.parse(time ?? '')
