import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { CertificateRequest } from '../../pki/index.ts'
import { readRequest } from '../../pki/index.ts'

export type Csr = CertificateSigningRequest
export type CsrCondition = NonNullable<NonNullable<Csr['status']>['conditions']>[number]

export const conditionOf = ({ status }: Csr, type: string): CsrCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type)

export const isIssued = ({ status }: Csr): boolean => (status?.certificate ?? '') !== ''

/** The request inside, or why it cannot be one. */
export function requestIn({ spec }: Csr): CertificateRequest | Failure {
  try {
    return readRequest(Buffer.from(spec.request, 'base64').toString())
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}
