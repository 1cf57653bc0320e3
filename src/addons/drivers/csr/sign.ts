import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import type { Approval } from '../../../fleet/csr/decide.ts'
import { unlessAbsent } from '../../../fleet/csr/decide.ts'
import type { Collection } from '../../../kube/kube.ts'

type Csr = CertificateSigningRequest

/** Gives a request its certificate. Of this version only: nobody can take a certificate back. */
export async function certify(csrs: Collection<Csr>, csr: Csr, certPem: string, signal: AbortSignal): Promise<void> {
  const status = { ...csr.status, certificate: Buffer.from(certPem).toString('base64') }
  await unlessAbsent(csrs.update({ ...csr, status }, { subresource: 'status', signal }))
}

/** Says for good that there will be no certificate: who asked begins anew. */
export async function fail(
  csrs: Collection<Csr>,
  csr: Csr,
  { reason, message, now }: Approval,
  signal: AbortSignal,
): Promise<void> {
  const time = rfc3339(now)
  const failed = { type: 'Failed', status: 'True', reason, message, lastUpdateTime: time, lastTransitionTime: time }
  const status = { ...csr.status, conditions: [...(csr.status?.conditions ?? []), failed] }
  await unlessAbsent(csrs.update({ ...csr, status }, { subresource: 'status', signal }))
}
