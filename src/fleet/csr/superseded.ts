import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ClusterRequest } from './approval.ts'
import { decisionOn } from './approval.ts'

/** The oldest first. Of the same second, by name: everybody comes to the same order. */
export const byAge = (a: Stored<CertificateSigningRequest>, b: Stored<CertificateSigningRequest>): number =>
  compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compare(a.metadata.name, b.metadata.name)

/**
 * The undecided requests that a newer one of the same requester for the same agent replaces. Their subjects differ by
 * the common group at most, or they would not be requests of an agent.
 */
export function supersededRequests<T extends ClusterRequest>(requests: readonly T[]): T[] {
  const undecided = requests.filter(({ csr }) => decisionOn(csr) === 'none').sort((a, b) => byAge(a.csr, b.csr))
  const newest = new Map(undecided.map((request) => [askerOf(request), request]))
  return undecided.filter((request) => newest.get(askerOf(request)) !== request)
}

const askerOf = ({ requester, user }: ClusterRequest): string => JSON.stringify([requester, user])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
