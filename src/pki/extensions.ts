import type { Element } from './der.ts'
import { DerError, expectTag, fields, hasBit, inside, readElement, readOid, tags } from './der.ts'
import { octetString, oid, sequence, yes } from './der-write.ts'
import { anyUsageOid, extensionOids, usageOids } from './oids.ts'
import type { Sans } from './sans.ts'
import { noSans, readSans } from './sans.ts'

/** What a TLS certificate may be used for. */
export type Usage = 'client' | 'server'

export interface Extensions {
  sans: Sans
  isCa: boolean
  /** How many authorities may stand between this one and a leaf. */
  pathLength: number | undefined
  /** Whether it may sign certificates: an absent key usage forbids nothing. */
  maySign: boolean
  /** Whether it may be used so: an absent extended key usage forbids nothing. */
  allows(usage: Usage): boolean
  /** Upper-case hex. */
  subjectKeyId: string | undefined
  /** Whether something restricts it that this reader does not understand. */
  hasUnknownConstraint: boolean
}

const keyCertSignBit = 5
const understood: readonly string[] = [
  extensionOids.keyUsage,
  extensionOids.subjectAltName,
  extensionOids.basicConstraints,
  extensionOids.extendedKeyUsage,
  // A list of policies narrows nothing unless somebody asks for one.
  extensionOids.certificatePolicies,
]

/** One Extension in DER, around the DER of its value. */
export const encodeExtension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [yes] : []), octetString(value))

/** An Extensions sequence in DER, or none. */
export function readExtensions(extensions: Element | undefined): Extensions {
  const all = extensions ? inside(extensions, tags.sequence).map(readExtension) : []
  if (new Set(all.map(({ oid }) => oid)).size < all.length) throw new DerError('has an extension twice')
  const value = (oid: string) => all.find((extension) => extension.oid === oid)?.value
  const sans = value(extensionOids.subjectAltName)
  const keyUsage = value(extensionOids.keyUsage)
  const subjectKeyId = value(extensionOids.subjectKeyIdentifier)
  const usages = readUsages(value(extensionOids.extendedKeyUsage))
  return {
    sans: sans ? readSans(readElement(sans, tags.sequence)) : noSans,
    ...readBasicConstraints(value(extensionOids.basicConstraints)),
    maySign: !keyUsage || hasBit(readElement(keyUsage, tags.bitString), keyCertSignBit),
    allows: (usage) => !usages || usages.includes(usageOids[usage]) || usages.includes(anyUsageOid),
    subjectKeyId: subjectKeyId && readElement(subjectKeyId, tags.octetString).body.toString('hex').toUpperCase(),
    hasUnknownConstraint: all.some(
      ({ oid, critical }) => oid === extensionOids.nameConstraints || (critical && !understood.includes(oid)),
    ),
  }
}

function readExtension(extension: Element): { oid: string; critical: boolean; value: Buffer } {
  const [oid, ...rest] = fields(extension, 2, 3)
  const critical = rest.length === 2 && isTrue(rest.shift())
  return { oid: readOid(oid), critical, value: expectTag(rest[0], tags.octetString).body }
}

function readBasicConstraints(value: Buffer | undefined): Pick<Extensions, 'isCa' | 'pathLength'> {
  if (!value) return { isCa: false, pathLength: undefined }
  const rest = fields(readElement(value, tags.sequence), 0, 2)
  const isCa = rest[0]?.tag === tags.boolean && isTrue(rest.shift())
  if (rest.length === 0) return { isCa, pathLength: undefined }
  const length = expectTag(rest[0], tags.integer).body
  if (length.length === 0 || length.length > 4 || rest.length > 1) throw new DerError('has a path length out of range')
  return { isCa, pathLength: length.readIntBE(0, length.length) }
}

const isTrue = (element: Element | undefined): boolean => expectTag(element, tags.boolean).body[0] !== 0

const readUsages = (value: Buffer | undefined): string[] | undefined =>
  value && inside(readElement(value, tags.sequence), tags.sequence).map(readOid)
