import { Unreadable } from '../decode/unreadable.ts'
import { Wire, wireTypes } from './wire.ts'

/** What an object is wrapped in, so that a reader learns what it is. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** Stands before the object. */
  readonly wire: Wire
  /** Where the object ends. */
  readonly end: number
}

const magic = Buffer.from('k8s\0')

/** Throws `Unreadable`. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new Unreadable('empty data')
  if (!bytes.subarray(0, magic.length).equals(magic))
    throw new Unreadable(
      `provided data does not appear to be a protobuf message, expected prefix [${[...magic].join(' ')}]`,
    )
  if (bytes.length === magic.length) throw new Unreadable('empty body')
  const wire = new Wire(bytes, magic.length)
  let type = { apiVersion: '', kind: '' }
  let start = 0
  let end = 0
  while (wire.at < bytes.length) {
    wire.tag(bytes.length, 'Unknown')
    const name = fieldNames[wire.field]
    if (name === undefined) {
      wire.skip(bytes.length)
      continue
    }
    if (wire.wireType !== wireTypes.delimited)
      throw new Unreadable(`proto: wrong wireType = ${wire.wireType} for field ${name}`)
    const until = wire.until(bytes.length)
    if (name === 'TypeMeta') type = readTypeMeta(wire, until)
    if (name === 'Raw') {
      start = wire.at
      end = until
    }
    wire.at = until
  }
  wire.at = start
  return { ...type, wire, end }
}

/** How it is encoded is said as well, and never heeded. */
const fieldNames = [undefined, 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType']

function readTypeMeta(wire: Wire, end: number): { apiVersion: string; kind: string } {
  const found = { apiVersion: '', kind: '' }
  while (wire.at < end) {
    wire.tag(end, 'TypeMeta')
    const name = wire.field === 1 ? 'APIVersion' : wire.field === 2 ? 'Kind' : undefined
    if (name === undefined) wire.skip(end)
    else if (wire.wireType !== wireTypes.delimited)
      throw new Unreadable(`proto: wrong wireType = ${wire.wireType} for field ${name}`)
    else if (name === 'Kind') found.kind = wire.text(end)
    else found.apiVersion = wire.text(end)
  }
  return found
}
