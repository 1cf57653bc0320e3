import { createPublicKey, verify } from 'node:crypto'
import type { Secret } from '../core/secret.ts'
import type { Element } from './der.ts'
import { DerError, expectTag, explicit, fields, inside, readBytes, readElement, readOid, tags } from './der.ts'
import { element, integer, oid, sequence, setOf } from './der-write.ts'
import { encodeExtension, readExtensions } from './extensions.ts'
import { failures } from './failures.ts'
import { exportPublicKey, readPrivateKey, spkiOf } from './keys.ts'
import { attributeOids, extensionOids, extensionRequestOid, requestSignatures } from './oids.ts'
import { joinPem, onlyBlocks } from './pem.ts'
import type { Sans } from './sans.ts'
import { encodeSans } from './sans.ts'
import { signerWith } from './signing.ts'
import type { Subject, SubjectInput } from './subject.ts'
import { encodeSubject, readAttributes, readSubject } from './subject.ts'

const label = 'CERTIFICATE REQUEST'

/** Whom a certificate is for. A request says it about itself. */
export interface Holder {
  subject: SubjectInput
  publicKeyPem: string
  sans?: Partial<Sans>
}

export interface CertificateRequest extends Holder {
  subject: Subject
  sans: Sans
  /** Whether whoever made the request has the private key. */
  signatureValid: boolean
}

export interface RequestInput {
  keyPem: Secret
  subject: SubjectInput
  sans?: Partial<Sans>
}

/** A certificate request (PKCS#10) as PEM, signed with the key. */
export async function createRequest({ keyPem, subject, sans = {} }: RequestInput): Promise<string> {
  if (subject.commonName === '') throw failures.PKI_SUBJECT_INVALID({ detail: 'the common name is empty' })
  const key = readPrivateKey(keyPem)
  const names = encodeSans(sans)
  const content = sequence(
    integer(0),
    encodeSubject(subject),
    spkiOf(createPublicKey(key)),
    element(explicit(0), ...(names ? [extensionRequest(encodeExtension(extensionOids.subjectAltName, names))] : [])),
  )
  return joinPem([{ label, der: signerWith(key).signed(content) }])
}

const extensionRequest = (...extensions: readonly Buffer[]): Buffer =>
  sequence(oid(extensionRequestOid), setOf(sequence(...extensions)))

/**
 * Reads a request as strictly as Go does, and more so where readers differ: two common names are refused, because one
 * program would take the first for the user and another the last.
 */
export function readRequest(pem: string): CertificateRequest {
  const [der, second] = onlyBlocks(pem, label)
  if (second) throw failures.PKI_REQUEST_INVALID({ detail: 'there is more than one' })
  try {
    return parseRequest(der)
  } catch (error) {
    if (error instanceof DerError) throw failures.PKI_REQUEST_INVALID({ detail: `it ${error.message}` }, error)
    throw error
  }
}

function parseRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = fields(readElement(der, tags.sequence), 3)
  const [, name, spki, attributes] = fields(info, 3, 4)
  const subject = expectTag(name, tags.sequence)
  if (readAttributes(subject).filter(({ oid }) => oid === attributeOids.commonName).length > 1) {
    throw new DerError('has more than one common name')
  }
  const publicKey = readSpki(expectTag(spki, tags.sequence))
  const scheme = acceptedSignature(algorithm)
  return {
    subject: readSubject(subject),
    sans: readExtensions(requestedExtensions(attributes)).sans,
    publicKeyPem: exportPublicKey(publicKey),
    signatureValid:
      scheme.keyType === publicKey.asymmetricKeyType &&
      verify(scheme.hash, expectTag(info, tags.sequence).whole, publicKey, readBytes(signature)),
  }
}

function readSpki(spki: Element) {
  try {
    return createPublicKey({ key: spki.whole, format: 'der', type: 'spki' })
  } catch (error) {
    throw new DerError('has a public key that cannot be used', { cause: error })
  }
}

function acceptedSignature(algorithm: Element | undefined) {
  const oid = readOid(fields(algorithm, 1, 2)[0])
  const scheme = requestSignatures[oid]
  if (!scheme) throw failures.PKI_REQUEST_ALGORITHM({ algorithm: oid })
  return scheme
}

function requestedExtensions(attributes: Element | undefined): Element | undefined {
  if (!attributes) return undefined
  const found = inside(attributes, explicit(0))
    .map((attribute) => fields(attribute, 2))
    .filter(([oid]) => readOid(oid) === extensionRequestOid)
    .flatMap(([, values]) => inside(values, tags.set))
  if (found.length > 1) throw new DerError('asks for extensions twice')
  return found[0]
}
