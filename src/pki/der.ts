/**
 * A reader for DER, nothing more: Node has no reader for certificate requests and tells neither path lengths nor the
 * order of names. It is strict where BER is lenient, so that what an approver reads is what a signer written in another
 * language reads. der-write.ts is its counterpart.
 */
export interface Element {
  /** The identifier byte: class, constructed bit and number together. */
  tag: number
  body: Buffer
  /** Identifier, length and body, as signed. */
  whole: Buffer
}

/** The bytes are not the DER that was expected. Never leaves this folder: readers answer with a failure of their own. */
export class DerError extends Error {}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** A context-specific, constructed tag: `[n]`. */
export const explicit = (n: number): number => 0xa0 + n

/** Every element of a run of them. */
export function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at)
    elements.push(element)
    at += element.whole.length
  }
  return elements
}

function elementAt(bytes: Buffer, at: number): Element {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) throw new DerError('ends inside an element')
  if ((tag & 0x1f) === 0x1f) throw new DerError('has a tag number above 30')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || lengthBytes > 4) throw new DerError('has a length that is not DER')
  const start = at + 2 + lengthBytes
  if (start > bytes.length) throw new DerError('ends inside an element')
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes)
  if (lengthBytes > 0 && length < Math.max(0x80, 2 ** (8 * (lengthBytes - 1)))) {
    throw new DerError('has a length that is not DER')
  }
  if (start + length > bytes.length) throw new DerError('ends inside an element')
  return { tag, body: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) }
}

/** The one element that the bytes are, with nothing after it. */
export function readElement(bytes: Buffer, tag: number): Element {
  const [element, more] = readElements(bytes)
  if (more) throw new DerError('has bytes after its end')
  return expectTag(element, tag)
}

export function expectTag(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new DerError(`lacks an element of type 0x${tag.toString(16)}`)
  return element
}

/** The elements inside one that must have this tag. */
export const inside = (element: Element | undefined, tag: number): Element[] =>
  readElements(expectTag(element, tag).body)

/** The elements inside a sequence of a fixed shape: from `least` to `most` of them. */
export function fields(element: Element | undefined, least: number, most = least): Element[] {
  const elements = inside(element, tags.sequence)
  if (elements.length < least || elements.length > most) throw new DerError('has a sequence of the wrong length')
  return elements
}

/** An object identifier in dotted form. */
export function readOid(element: Element | undefined): string {
  const { body } = expectTag(element, tags.oid)
  const arcs: number[] = []
  let arc = 0
  for (const [index, byte] of body.entries()) {
    const isFirst = index === 0 || (body[index - 1] ?? 0) < 0x80
    if (isFirst && byte === 0x80) throw new DerError('has an object identifier that is not DER')
    arc = arc * 128 + (byte & 0x7f)
    if (!Number.isSafeInteger(arc)) throw new DerError('has an object identifier out of range')
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const [head, ...rest] = arcs
  if (head === undefined || (body.at(-1) ?? 0) >= 0x80) throw new DerError('has an object identifier that is cut off')
  const top = Math.min(2, Math.floor(head / 40))
  return [top, head - 40 * top, ...rest].join('.')
}

/** The bytes of a bit string that fills whole bytes, as signatures do. */
export function readBytes(element: Element | undefined): Buffer {
  const { body } = expectTag(element, tags.bitString)
  if (body[0] !== 0) throw new DerError('has a bit string that ends inside a byte')
  return body.subarray(1)
}

/** Whether bit `n`, counted from the first as X.509 does, is set in a bit string. */
export const hasBit = (element: Element, n: number): boolean =>
  ((expectTag(element, tags.bitString).body[1 + Math.floor(n / 8)] ?? 0) & (0x80 >> (n % 8))) !== 0
