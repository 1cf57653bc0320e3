import { reasonCatalogue } from '../core/reason.ts'

/** Why a chain of certificates is not trusted. */
export const reasons = reasonCatalogue({
  CertificateExpired: 'a certificate of the chain is past its end: renew it, or check this machine’s clock',
  CertificateNotYetValid: 'a certificate of the chain begins in the future: check the clocks of both machines',
  HostnameMismatch: 'the certificate does not name the host that was asked for: reissue it with that name',
  UsageNotAllowed: 'the certificate, or an authority above it, may not be used for this purpose',
  ConstraintUnsupported: 'a certificate carries a critical extension or name constraint that Lanyard cannot check',
  IssuerUnknown: 'no path leads from the certificate to a trusted one: add the missing authority or intermediate',
  IssuerNotAuthority: 'the issuer named by a certificate is not allowed to issue certificates',
  PathTooLong: 'there are more authorities between the certificate and the trusted one than allowed',
  SignatureInvalid: 'a certificate was not signed by the issuer it names',
  SignatureTooWeak: 'a certificate is signed with MD5 or SHA-1, which can be forged: reissue it',
})
