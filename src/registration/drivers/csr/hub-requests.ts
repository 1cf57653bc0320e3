import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Clock } from '../../../core/clock.ts'
import type { ClusterRequest } from '../../../fleet/csr/approval.ts'
import { judgeClusterRequest } from '../../../fleet/csr/approval.ts'
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
  /** The valid requests of a cluster, decided ones too, the oldest first. */
  of(cluster: string): SeenRequest[]
}

type Csr = Stored<CertificateSigningRequest>

/** Reads each version of a CSR once: they stay for an hour after their certificate was issued. */
export function clusterRequests(
  csrs: Pick<Informer<CertificateSigningRequest, 'cluster'>, 'on' | 'byIndex'>,
  clock: Clock,
): ClusterRequests {
  const seenAt = new Map<string, Date>()
  // Never given back: it lives as long as the informer.
  csrs.on(({ type, object: { metadata } }) => {
    if (type === 'deleted') seenAt.delete(metadata.uid)
    else if (!seenAt.has(metadata.uid)) seenAt.set(metadata.uid, clock.now())
  })
  const read = new WeakMap<Csr, SeenRequest | 'not ours'>()
  const readOnce = (csr: Csr): SeenRequest | 'not ours' => {
    const known = read.get(csr)
    if (known) return known
    const judged = judgeClusterRequest(csr)
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
        .map(readOnce)
        .filter((request) => request !== 'not ours')
        .sort((a, b) => byAge(a.csr, b.csr)),
  }
}
