import type { KeyObject } from 'node:crypto'
import { randomBytes } from 'node:crypto'
import type { ParsedCertificate } from './certificate.ts'
import type { Usage } from './extensions.ts'
import { failures } from './failures.ts'
import { spkiOf } from './keys.ts'
import { usageOids } from './oids.ts'
import { joinPem } from './pem.ts'
import type { Sans } from './sans.ts'
import { encodeSans } from './sans.ts'
import { signingKey } from './signing.ts'
import type { SubjectInput } from './subject.ts'
import { encodeSubject } from './subject.ts'
import type { X509 } from './x509.ts'
import { crypto, loadX509 } from './x509.ts'

export type KeyUsage = 'digitalSignature' | 'keyEncipherment'

export interface Issuer {
  key: KeyObject
  /** Absent when the certificate signs itself. */
  certificate?: ParsedCertificate
}

export interface CertificateDraft {
  subject: SubjectInput
  sans?: Partial<Sans>
  publicKey: KeyObject
  issuer: Issuer
  notBefore: Date
  notAfter: Date
  usages?: readonly Usage[]
  keyUsages?: readonly KeyUsage[]
  /** Present when the certificate is one of an authority. */
  ca?: { pathLength: number | undefined }
}

/** Signs a certificate; PEM. Everything that makes it stand or fall with openssl, Go and Node is set here. */
export async function encodeCertificate(draft: CertificateDraft): Promise<string> {
  const { keys, algorithm } = signingKey(draft.issuer.key)
  const x509 = await loadX509()
  const subject = encodeSubject(x509, draft.subject)
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      subject,
      issuer: issuerName(x509, draft.issuer) ?? subject,
      ...validity(draft),
      publicKey: spkiOf(draft.publicKey),
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: await extensions(x509, draft, subject),
    },
    crypto,
  )
  return joinPem([{ label: 'CERTIFICATE', der: Buffer.from(certificate.rawData) }])
}

/** 127 bits, of which 126 are random; positive, and never shortened by a leading zero. */
function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

function issuerName(x509: typeof X509, { certificate }: Issuer): X509.Name | undefined {
  if (!certificate) return undefined
  const name = new x509.Name(certificate.subjectName.whole)
  // Verifiers compare names as bytes: an issuer written differently would make a certificate nobody can trace back.
  if (!Buffer.from(name.toArrayBuffer()).equals(certificate.subjectName.whole)) {
    throw failures.PKI_AUTHORITY_UNSUITABLE({ subject: name.toString(), detail: 'its name cannot be repeated exactly' })
  }
  return name
}

function validity({ notBefore, notAfter, issuer }: CertificateDraft): { notBefore: Date; notAfter: Date } {
  const last = issuer.certificate?.x509.validToDate ?? notAfter
  const end = last < notAfter ? last : notAfter
  if (end <= notBefore) {
    throw failures.PKI_LIFETIME_INVALID({ notBefore: notBefore.toISOString(), notAfter: end.toISOString() })
  }
  return { notBefore, notAfter: end }
}

async function extensions(x509: typeof X509, draft: CertificateDraft, subject: X509.Name): Promise<X509.Extension[]> {
  const { ca, usages = [], issuer } = draft
  const flags = ca ? caFlags(x509) : leafFlags(x509, draft)
  const hasSubject = subject.toJSON().length > 0
  return [
    new x509.BasicConstraintsExtension(ca !== undefined, ca?.pathLength, true),
    flags === 0 ? undefined : new x509.KeyUsagesExtension(flags, true),
    usages.length > 0 ? new x509.ExtendedKeyUsageExtension(usages.map((usage) => usageOids[usage])) : undefined,
    encodeSans(x509, draft.sans ?? {}, !hasSubject),
    await x509.SubjectKeyIdentifierExtension.create(spkiOf(draft.publicKey), false, crypto),
    issuer.certificate && (await authorityKeyId(x509, issuer.certificate)),
  ].filter((extension) => extension !== undefined)
}

const caFlags = ({ KeyUsageFlags }: typeof X509) =>
  KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign

function leafFlags({ KeyUsageFlags }: typeof X509, { publicKey, keyUsages }: CertificateDraft): number {
  const fitting: KeyUsage[] =
    publicKey.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature']
  return (keyUsages ?? fitting).reduce((flags, usage) => flags | KeyUsageFlags[usage], 0)
}

function authorityKeyId(x509: typeof X509, { publicKey, extensions }: ParsedCertificate) {
  return extensions.subjectKeyId
    ? new x509.AuthorityKeyIdentifierExtension(extensions.subjectKeyId)
    : x509.AuthorityKeyIdentifierExtension.create(spkiOf(publicKey), false, crypto)
}
