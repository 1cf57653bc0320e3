import type { Element } from './der.ts'
import { DerError, fields, inside, readOid, tags } from './der.ts'
import { failures } from './failures.ts'
import { attributeOids } from './oids.ts'
import type { X509 } from './x509.ts'

/** Who a certificate or request is about. For Kubernetes the common name is the user, the organizations are groups. */
export interface Subject {
  /** Empty when there is none. */
  commonName: string
  /** In their order. */
  organizations: readonly string[]
  organizationalUnits: readonly string[]
  /** Every other attribute, by object identifier. */
  others: readonly Attribute[]
}

export interface Attribute {
  oid: string
  value: string
}

export type SubjectInput = Pick<Subject, 'commonName'> & Partial<Subject>

/** A Name in DER. Of several common names the last is the one, as in Go and so in every Kubernetes API server. */
export function readSubject(name: Element): Subject {
  const attributes = readAttributes(name)
  const valuesOf = (oid: string) => attributes.filter((attribute) => attribute.oid === oid).map(({ value }) => value)
  const named: string[] = [attributeOids.commonName, attributeOids.organization, attributeOids.organizationalUnit]
  return {
    commonName: valuesOf(attributeOids.commonName).at(-1) ?? '',
    organizations: valuesOf(attributeOids.organization),
    organizationalUnits: valuesOf(attributeOids.organizationalUnit),
    others: attributes.filter(({ oid }) => !named.includes(oid)),
  }
}

export function readAttributes(name: Element): Attribute[] {
  return inside(name, tags.sequence)
    .flatMap((rdn) => inside(rdn, tags.set))
    .map((attribute) => {
      const [oid, value] = fields(attribute, 2)
      return { oid: readOid(oid), value: readText(value) }
    })
}

const charsets: Readonly<Record<number, (bytes: Buffer) => string>> = {
  12: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), // UTF8String
  18: ascii, // NumericString
  19: ascii, // PrintableString
  20: (bytes) => bytes.toString('latin1'), // TeletexString, in practice Latin-1
  22: ascii, // IA5String
  30: (bytes) => new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }).decode(bytes), // BMPString
}

function ascii(bytes: Buffer): string {
  if (bytes.some((byte) => byte > 0x7f)) throw new DerError('has a name with bytes outside ASCII')
  return bytes.toString('latin1')
}

function readText(element: Element | undefined): string {
  const decode = charsets[element?.tag ?? -1]
  if (!element || !decode) throw new DerError('has a name that is not text')
  try {
    return decode(element.body)
  } catch (error) {
    throw error instanceof DerError ? error : new DerError('has a name that is not text', { cause: error })
  }
}

/**
 * The name to encode. Each organization is a part of its own: Go packs several into one set, which DER sorts, and the
 * order would be lost. Values are given as typed strings, because the library would otherwise read quotes, backslashes
 * and a leading # as notation.
 */
export function encodeSubject(x509: typeof X509, subject: SubjectInput): X509.Name {
  const { commonName, organizations = [], organizationalUnits = [], others = [] } = subject
  const named = (oid: string, values: readonly string[]) => values.map((value) => ({ oid, value }))
  const attributes = [
    ...named(attributeOids.organization, organizations),
    ...named(attributeOids.organizationalUnit, organizationalUnits),
    ...named(attributeOids.commonName, commonName === '' ? [] : [commonName]),
    ...others,
  ]
  return new x509.Name(attributes.map(({ oid, value }) => ({ [oid]: [typedText(oid, value)] })))
}

const ia5Oids: readonly string[] = [attributeOids.email, attributeOids.domainComponent]

function typedText(oid: string, value: string) {
  if (!/^\d+(\.\d+)+$/.test(oid))
    throw failures.PKI_SUBJECT_INVALID({ detail: 'an attribute has no object identifier' })
  if (value === '') throw failures.PKI_SUBJECT_INVALID({ detail: `an attribute (${oid}) is empty` })
  if (!value.isWellFormed()) throw failures.PKI_SUBJECT_INVALID({ detail: `an attribute (${oid}) is not Unicode text` })
  if (/^[A-Za-z0-9 '()+,\-./:=?]+$/.test(value) && !ia5Oids.includes(oid)) return { printableString: value }
  if (/^[\x20-\x7e]+$/.test(value) && ia5Oids.includes(oid)) return { ia5String: value }
  return { utf8String: value }
}
