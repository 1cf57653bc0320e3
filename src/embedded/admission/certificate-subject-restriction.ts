import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { readRequest } from '../../pki/index.ts'
import { system } from '../authentication/user.ts'
import type { AdmissionStep, Admitted } from './admission.ts'
import { isAbout, refused } from './admission.ts'
import { certificatesGroup, requestsPlural } from './signers.ts'

const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** Nobody becomes an administrator beyond all rules by way of a certificate. */
export const certificateSubjectRestriction: AdmissionStep = {
  name: 'CertificateSubjectRestriction',
  concerns: (target) => target.operation === 'CREATE' && isAbout(target, certificatesGroup, requestsPlural),
  async validate(write) {
    const { spec } = write.object as unknown as CertificateSigningRequest
    if (spec.signerName !== clientSigner) return
    if (organizationsOf(write, spec.request).includes(system.masters))
      throw refused(write, `use of ${clientSigner} signer with ${system.masters} group is not allowed`)
  },
}

function organizationsOf(write: Admitted, request: string): readonly string[] {
  try {
    return readRequest(Buffer.from(request, 'base64').toString()).subject.organizations
  } catch (error) {
    throw refused(write, `failed to parse CSR: ${(error as Error).message}`)
  }
}
