import type { Element } from './der.ts'
import { DerError, fields, inside, readOid, tags } from './der.ts'
import { element, isOid, oid, sequence, setOf } from './der-write.ts'
import { failures } from './failures.ts'
import { attributeOids } from './oids.ts'

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

const textTags = { utf8: 12, printable: 19, ia5: 22 } as const

const charsets: Readonly<Record<number, (bytes: Buffer) => string>> = {
  [textTags.utf8]: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  18: ascii, // NumericString
  [textTags.printable]: ascii,
  20: (bytes) => bytes.toString('latin1'), // TeletexString, in practice Latin-1
  [textTags.ia5]: ascii,
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
 * The Name in DER. Each organization is a part of its own: Go packs several into one set, which DER sorts, and the order
 * would be lost.
 */
export function encodeSubject(subject: SubjectInput): Buffer {
  const { commonName, organizations = [], organizationalUnits = [], others = [] } = subject
  const named = (oid: string, values: readonly string[]) => values.map((value) => ({ oid, value }))
  const attributes = [
    ...named(attributeOids.organization, organizations),
    ...named(attributeOids.organizationalUnit, organizationalUnits),
    ...named(attributeOids.commonName, commonName === '' ? [] : [commonName]),
    ...others,
  ]
  return sequence(...attributes.map((attribute) => setOf(sequence(oid(checkedOid(attribute)), encodeText(attribute)))))
}

function checkedOid({ oid, value }: Attribute): string {
  if (!isOid(oid)) throw failures.PKI_SUBJECT_INVALID({ detail: 'an attribute has no object identifier' })
  if (value === '') throw failures.PKI_SUBJECT_INVALID({ detail: `an attribute (${oid}) is empty` })
  if (!value.isWellFormed()) throw failures.PKI_SUBJECT_INVALID({ detail: `an attribute (${oid}) is not Unicode text` })
  return oid
}

const ia5Oids: readonly string[] = [attributeOids.email, attributeOids.domainComponent]

function encodeText({ oid, value }: Attribute): Buffer {
  const isIa5 = ia5Oids.includes(oid)
  if (!isIa5 && /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(value)) return element(textTags.printable, Buffer.from(value))
  if (isIa5 && /^[\x20-\x7e]+$/.test(value)) return element(textTags.ia5, Buffer.from(value))
  return element(textTags.utf8, Buffer.from(value))
}
