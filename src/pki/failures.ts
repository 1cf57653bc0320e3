import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  PKI_PEM_BROKEN: [422, 'the PEM text is broken at line {line}: {detail}; copy the whole block again'],
  PKI_PEM_MISSING: [422, 'expected a PEM block {expected}, found {found}'],
  PKI_KEY_UNREADABLE: [422, 'the key cannot be read; give an unencrypted EC, RSA or Ed25519 key as PEM'],
  PKI_KEY_UNSUITABLE: [422, 'cannot sign with a key of kind {kind}; use EC P-256, P-384 or P-521, RSA or Ed25519'],
  PKI_SUBJECT_INVALID: [422, 'the subject cannot be used: {detail}'],
  PKI_SAN_INVALID: [422, '{value} is not a valid {kind} for a subject alternative name'],
  PKI_REQUEST_INVALID: [422, 'the certificate request cannot be read: {detail}'],
  PKI_REQUEST_ALGORITHM: [
    422,
    'the certificate request is signed with {algorithm}; use ECDSA or RSA with SHA-256 or longer, or Ed25519',
  ],
  PKI_REQUEST_SIGNATURE: [422, 'the certificate request is not signed by the key it carries; make a new request'],
  PKI_CERTIFICATE_INVALID: [422, 'the certificate cannot be read: {detail}'],
  PKI_AUTHORITY_UNSUITABLE: [422, '{subject} cannot issue certificates: {detail}'],
  PKI_LIFETIME_INVALID: [422, 'the certificate would end ({notAfter}) before it begins ({notBefore})'],
})
