import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { Collection } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

type Csr = CertificateSigningRequest
type Csrs = Collection<Csr>

export interface Approval {
  readonly reason: Reason
  readonly message: string
  readonly now: Date
}

/** False when the request is gone. A Conflict is thrown: somebody decided meanwhile. */
export async function approveRequest(csrs: Csrs, csr: Csr, approval: Approval, signal: AbortSignal): Promise<boolean> {
  const time = rfc3339(approval.now)
  const { reason, message } = approval
  const condition = {
    type: 'Approved',
    status: 'True',
    reason,
    message,
    lastUpdateTime: time,
    lastTransitionTime: time,
  }
  const conditions = [...(csr.status?.conditions ?? []), condition]
  const approved = { ...csr, status: { ...csr.status, conditions } }
  return (await unlessAbsent(csrs.update(approved, { subresource: 'approval', signal }))) !== undefined
}

/** Removes a request that nobody has decided on. Of this version only: one that somebody decides meanwhile stays. */
export async function removeRequest(csrs: Csrs, { metadata }: Stored<Csr>, signal: AbortSignal): Promise<boolean> {
  const { name, uid, resourceVersion } = metadata
  try {
    return await csrs.delete(name, { preconditions: { uid, resourceVersion }, signal })
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

/** With undefined in place of NotFound. */
export async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
