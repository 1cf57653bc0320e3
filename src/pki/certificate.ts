import type { KeyObject } from 'node:crypto'
import { X509Certificate } from 'node:crypto'
import type { Element } from './der.ts'
import { DerError, expectTag, explicit, fields, inside, readElement, readOid, tags } from './der.ts'
import type { Extensions, Usage } from './extensions.ts'
import { readExtensions } from './extensions.ts'
import { failures } from './failures.ts'
import { exportPublicKey } from './keys.ts'
import { onlyBlocks } from './pem.ts'
import type { Sans } from './sans.ts'
import type { Subject } from './subject.ts'
import { readSubject } from './subject.ts'

export interface Certificate {
  subject: Subject
  issuer: Subject
  notBefore: Date
  notAfter: Date
  /** Upper-case hex, as openssl prints it. */
  serial: string
  isCa: boolean
  /** How many authorities may stand between this one and a leaf; undefined when any number may. */
  pathLength: number | undefined
  sans: Sans
  usages: readonly Usage[]
  /** SHA-256 over the whole, as people compare it: `AB:CD:…`. */
  fingerprint: string
  publicKeyPem: string
}

/** The first certificate of a PEM text: of a chain, the leaf. */
export const readCertificate = (pem: string): Certificate =>
  describe(parseCertificate(onlyBlocks(pem, 'CERTIFICATE')[0]))

/** Every certificate of a PEM text, in order. */
export const readCertificates = (pem: string): Certificate[] => parseCertificates(pem).map(describe)

/** SHA-256 of the first certificate of a PEM text, as people compare it: `AB:CD:…`. */
export const fingerprintOf = (pem: string): string =>
  parseCertificate(onlyBlocks(pem, 'CERTIFICATE')[0]).x509.fingerprint256

/** A fingerprint for names and keys: `abcd…`. */
export const compactFingerprint = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase()

function describe({ x509, publicKey, subjectName, issuerName, extensions }: ParsedCertificate): Certificate {
  return {
    subject: readable(() => readSubject(subjectName)),
    issuer: readable(() => readSubject(issuerName)),
    notBefore: x509.validFromDate,
    notAfter: x509.validToDate,
    serial: x509.serialNumber,
    isCa: extensions.isCa,
    pathLength: extensions.pathLength,
    sans: extensions.sans,
    usages: (['client', 'server'] as const).filter((usage) => extensions.allows(usage)),
    fingerprint: x509.fingerprint256,
    publicKeyPem: exportPublicKey(publicKey),
  }
}

/** A certificate as the rest of this folder needs it: names as the bytes that are compared. */
export interface ParsedCertificate {
  x509: X509Certificate
  publicKey: KeyObject
  subjectName: Element
  issuerName: Element
  signatureOid: string
  extensions: Extensions
}

export const parseCertificates = (pem: string): ParsedCertificate[] =>
  onlyBlocks(pem, 'CERTIFICATE').map(parseCertificate)

export function parseCertificate(der: Buffer): ParsedCertificate {
  return readable(() => {
    const opened = openCertificate(der)
    const [tbs, algorithm] = fields(readElement(der, tags.sequence), 3)
    const all = inside(tbs, tags.sequence)
    const [, , issuer, , subject, , ...optional] = all[0]?.tag === explicit(0) ? all.slice(1) : all
    const extensions = optional.find(({ tag }) => tag === explicit(3))
    return {
      ...opened,
      subjectName: expectTag(subject, tags.sequence),
      issuerName: expectTag(issuer, tags.sequence),
      signatureOid: readOid(fields(algorithm, 1, 2)[0]),
      extensions: readExtensions(extensions && inside(extensions, explicit(3))[0]),
    }
  })
}

function openCertificate(der: Buffer): Pick<ParsedCertificate, 'x509' | 'publicKey'> {
  try {
    const x509 = new X509Certificate(der)
    return { x509, publicKey: x509.publicKey }
  } catch (error) {
    throw new DerError('is not a certificate', { cause: error })
  }
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof DerError) throw failures.PKI_CERTIFICATE_INVALID({ detail: `it ${error.message}` }, error)
    throw error
  }
}
