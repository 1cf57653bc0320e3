import { isDeepStrictEqual } from 'node:util'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import { goQuote } from '../go-quote.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout, refused } from './admission.ts'
import { certificatesGroup, mayAtSigner, requestsPlural } from './signers.ts'

/** To put a certificate or a condition into the status takes the right to sign at the signer. */
export const certificateSigning = (authorizer: Authorizer): AdmissionStep => ({
  name: 'CertificateSigning',
  concerns: (target) => target.operation === 'UPDATE' && isAbout(target, certificatesGroup, requestsPlural, 'status'),
  async validate(write) {
    const [next, old] = [write.object, write.old] as unknown as CertificateSigningRequest[]
    if (!next || !old || isSame(next, old)) return
    const { signerName } = old.spec
    if (await mayAtSigner(authorizer, write.user, 'sign', signerName)) return
    throw refused(write, `user not permitted to sign requests with signerName ${goQuote(signerName)}`)
  },
})

const isSame = ({ status: next = {} }: CertificateSigningRequest, { status: old = {} }: CertificateSigningRequest) =>
  (next.certificate ?? '') === (old.certificate ?? '') && isDeepStrictEqual(next.conditions ?? [], old.conditions ?? [])
