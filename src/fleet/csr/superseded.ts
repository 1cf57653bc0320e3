import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ClusterRequest } from './approval.ts'
import { decisionOn } from './approval.ts'
import { isRenewal } from './requester.ts'

/** The oldest first. Of the same second, by name: everybody comes to the same order. */
export const byAge = (a: Stored<CertificateSigningRequest>, b: Stored<CertificateSigningRequest>): number =>
  compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compare(a.metadata.name, b.metadata.name)

/** An undecided request, and the newest of the same requester for the same agent. */
export interface Superseded<T> {
  request: T
  by: T
}

/**
 * The undecided requests that a newer one of the same requester for the same agent replaces, be it undecided or
 * approved. Their subjects differ by the common group at most, or they would not be requests of an agent.
 */
export function supersededRequests<T extends ClusterRequest>(requests: readonly T[]): Superseded<T>[] {
  const counted = requests
    .filter(({ csr }) => ['none', 'approved'].includes(decisionOn(csr)))
    .sort((a, b) => byAge(a.csr, b.csr))
  const newest = new Map(counted.map((request) => [askerOf(request), request]))
  return counted.flatMap((request) => {
    const by = newest.get(askerOf(request))
    return by && by !== request && isReplaced(request, by) ? [{ request, by }] : []
  })
}

/** Beside an approved one of the same second it may as well be the newer: then its agent asks again. */
const isReplaced = ({ csr }: ClusterRequest, by: ClusterRequest): boolean =>
  decisionOn(csr) === 'none' &&
  (decisionOn(by.csr) === 'none' || csr.metadata.creationTimestamp !== by.csr.metadata.creationTimestamp)

/**
 * The undecided requests of agents in whose name others ask with another key; none when every agent has one key. Who
 * approves one of them may give the place to a thief of the bootstrap credential. A renewal is not among them: whoever
 * asks for it has proven to be the agent.
 */
export function contested<T extends ClusterRequest>(requests: readonly T[]): T[] {
  const open = requests.filter((request) => decisionOn(request.csr) === 'none' && !isRenewal(request))
  // Not each with each: whoever may ask may ask ten thousand times.
  const byUser = Map.groupBy(open, ({ user }) => user)
  return [...byUser.values()].flatMap((asked) =>
    asked.some((other) => asked[0] && isRival(other, asked[0])) ? asked : [],
  )
}

export const isRival = (request: ClusterRequest, other: ClusterRequest): boolean =>
  other.user === request.user && other.publicKeyPem !== request.publicKeyPem

const askerOf = ({ requester, user }: ClusterRequest): string => JSON.stringify([requester, user])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
