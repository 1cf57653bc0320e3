import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import { goQuote } from '../go-quote.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout, refused } from './admission.ts'
import { certificatesGroup, mayAtSigner, requestsPlural } from './signers.ts'

/** To write through `approval` takes the right to approve at the signer, whatever is written. */
export const certificateApproval = (authorizer: Authorizer): AdmissionStep => ({
  name: 'CertificateApproval',
  concerns: (target) => target.operation === 'UPDATE' && isAbout(target, certificatesGroup, requestsPlural, 'approval'),
  async validate(write) {
    const { signerName } = (write.old as unknown as CertificateSigningRequest).spec
    if (await mayAtSigner(authorizer, write.user, 'approve', signerName)) return
    throw refused(write, `user not permitted to approve requests with signerName ${goQuote(signerName)}`)
  },
})
