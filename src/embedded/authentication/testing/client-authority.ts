import { X509Certificate } from 'node:crypto'
import { after } from '../../../core/clock.ts'
import type { Authority, SubjectInput, Usage } from '../../../pki/index.ts'
import { createAuthority, generateKey, issueCertificate } from '../../../pki/index.ts'

const dayMs = 24 * 3_600_000

export const authorityAt = (now: Date, commonName = 'client-ca'): Promise<Authority> =>
  createAuthority({ commonName, clock: { now: () => now }, lifetimeMs: 30 * dayMs })

/** A certificate as a handshake brings it: DER. */
export async function issueDer(
  authority: Authority,
  subject: SubjectInput,
  terms: { notBefore: Date; lifeMs?: number; usages?: readonly Usage[] },
): Promise<Buffer> {
  const { notBefore, lifeMs = dayMs, usages = ['client'] } = terms
  const { publicKeyPem } = generateKey()
  const pem = await issueCertificate(
    authority,
    { subject, publicKeyPem, sans: {} },
    { usages, notBefore, notAfter: after(notBefore, lifeMs) },
  )
  return new X509Certificate(pem).raw
}
