import type { KeyObject } from 'node:crypto'
import { createHash, randomBytes } from 'node:crypto'
import type { ParsedCertificate } from './certificate.ts'
import { explicit, fields, readBytes, readElement, tags } from './der.ts'
import { bits, element, integer, octetString, oid, sequence, time, yes } from './der-write.ts'
import type { Usage } from './extensions.ts'
import { encodeExtension } from './extensions.ts'
import { failures } from './failures.ts'
import { spkiOf } from './keys.ts'
import { extensionOids, usageOids } from './oids.ts'
import { joinPem } from './pem.ts'
import type { Sans } from './sans.ts'
import { encodeSans } from './sans.ts'
import { signerWith } from './signing.ts'
import type { SubjectInput } from './subject.ts'
import { encodeSubject } from './subject.ts'

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
  const { algorithm, signed } = signerWith(draft.issuer.key)
  const { notBefore, notAfter } = validity(draft)
  const subject = encodeSubject(draft.subject)
  const content = sequence(
    element(explicit(0), integer(version3)),
    newSerial(),
    algorithm,
    // As bytes, for so verifiers compare names: written differently, nobody could trace the certificate back.
    draft.issuer.certificate?.subjectName.whole ?? subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    spkiOf(draft.publicKey),
    element(explicit(3), sequence(...extensions(draft, subject))),
  )
  return joinPem([{ label: 'CERTIFICATE', der: signed(content) }])
}

/** Counted from 0. */
const version3 = 2

/** 127 bits, of which 126 are random; positive, and never shortened by a leading zero. */
function newSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return element(tags.integer, bytes)
}

function validity({ notBefore, notAfter, issuer }: CertificateDraft): { notBefore: Date; notAfter: Date } {
  const last = issuer.certificate?.x509.validToDate ?? notAfter
  const end = last < notAfter ? last : notAfter
  if (end <= notBefore) {
    throw failures.PKI_LIFETIME_INVALID({ notBefore: notBefore.toISOString(), notAfter: end.toISOString() })
  }
  return { notBefore, notAfter: end }
}

function extensions(draft: CertificateDraft, subject: Buffer): Buffer[] {
  const { ca, usages = [], issuer } = draft
  const keyUsages = ca ? caUsages : leafUsages(draft)
  const names = encodeSans(draft.sans ?? {})
  const hasSubject = readElement(subject, tags.sequence).body.length > 0
  return [
    encodeExtension(extensionOids.basicConstraints, basicConstraints(ca), true),
    keyUsages.length > 0 &&
      encodeExtension(extensionOids.keyUsage, bits(keyUsages.map((usage) => keyUsageBits[usage])), true),
    usages.length > 0 &&
      encodeExtension(extensionOids.extendedKeyUsage, sequence(...usages.map((usage) => oid(usageOids[usage])))),
    names && encodeExtension(extensionOids.subjectAltName, names, !hasSubject),
    encodeExtension(extensionOids.subjectKeyIdentifier, octetString(keyIdOf(draft.publicKey))),
    issuer.certificate && encodeExtension(extensionOids.authorityKeyIdentifier, authorityKeyId(issuer.certificate)),
  ].filter((extension) => Buffer.isBuffer(extension))
}

const basicConstraints = (ca: CertificateDraft['ca']): Buffer =>
  sequence(...(ca ? [yes] : []), ...(ca?.pathLength === undefined ? [] : [integer(ca.pathLength)]))

const keyUsageBits = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const

const caUsages: readonly (keyof typeof keyUsageBits)[] = ['digitalSignature', 'keyCertSign', 'cRLSign']

const leafUsages = ({ publicKey, keyUsages }: CertificateDraft): readonly KeyUsage[] =>
  keyUsages ?? (publicKey.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'])

/** SHA-1 of the key's bits, as RFC 5280 suggests: a hint where to look, which nothing is trusted for. */
function keyIdOf(publicKey: KeyObject): Buffer {
  const [, key] = fields(readElement(spkiOf(publicKey), tags.sequence), 2)
  return createHash('sha1').update(readBytes(key)).digest()
}

/** `[0]` without a tag of its own. */
const keyIdTag = 0x80

const authorityKeyId = ({ publicKey, extensions: { subjectKeyId } }: ParsedCertificate): Buffer =>
  sequence(element(keyIdTag, subjectKeyId ? Buffer.from(subjectKeyId, 'hex') : keyIdOf(publicKey)))
