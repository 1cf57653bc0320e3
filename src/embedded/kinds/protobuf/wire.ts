import { Unreadable } from '../decode/unreadable.ts'

/** How a value is written, in the lowest bits of a field's tag. */
export const wireTypes = { varint: 0, fixed64: 1, delimited: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const

/** Walks over the bytes of a message. Throws `Unreadable` in the words of Go's decoder. */
export class Wire {
  readonly #bytes: Buffer
  /** The next byte. */
  at: number
  /** Of the last tag. */
  field = 0
  wireType = 0
  /** All of it, made when the first short text is read. */
  #latin1: string | undefined
  // Of the last number, as two halves: bitwise operators of JavaScript see 32 bits.
  #low = 0
  #high = 0

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  /** Reads the tag of a field of `message`. */
  tag(end: number, message: string): void {
    this.#number(end)
    this.field = (this.#high << 29) | (this.#low >>> 3)
    this.wireType = this.#low & 7
    if (this.wireType === wireTypes.groupEnd)
      throw new Unreadable(`proto: ${message}: wiretype end group for non-group`)
    if (this.field <= 0)
      throw new Unreadable(`proto: ${message}: illegal tag ${this.field} (wire type ${this.#unsigned()})`)
  }

  int32(end: number): number {
    this.#number(end)
    return this.#low | 0
  }

  int64(end: number): number {
    this.#number(end)
    const value = (this.#high | 0) * 2 ** 32 + this.#low
    if (Number.isSafeInteger(value)) return value
    const exact = BigInt.asIntN(64, this.#unsigned())
    throw new Unreadable(`the number ${exact} has more than 53 bits, which this server cannot keep`)
  }

  bool(end: number): boolean {
    this.#number(end)
    return this.#low !== 0 || this.#high !== 0
  }

  double(end: number): number {
    const start = this.#pass(8, end)
    const value = this.#bytes.readDoubleLE(start)
    if (!Number.isFinite(value)) throw new Unreadable(`json: unsupported value: ${value}`)
    return value
  }

  text(end: number): string {
    const until = this.until(end)
    const start = this.at
    this.at = until
    if (until - start <= shortText && this.#isAscii(start, until)) {
      this.#latin1 ??= this.#bytes.toString('latin1')
      return this.#latin1.slice(start, until)
    }
    return this.#bytes.toString('utf8', start, until)
  }

  bytes(end: number): Buffer {
    const until = this.until(end)
    const found = this.#bytes.subarray(this.at, until)
    this.at = until
    return found
  }

  /** Reads a length and gives where that ends. */
  until(end: number): number {
    this.#number(end)
    if (this.#high > 0x7fffffff) throw new Unreadable('proto: negative length found during unmarshaling')
    const until = this.at + this.#high * 2 ** 32 + this.#low
    if (until > end) throw new Unreadable(cutOff)
    return until
  }

  /** Passes over the value of the tag that was read, which may be a group with whatever is in it. */
  skip(end: number): void {
    let depth = 0
    let wireType = this.wireType
    while (true) {
      switch (wireType) {
        case wireTypes.varint:
          this.#number(end)
          break
        case wireTypes.fixed64:
          this.#pass(8, end)
          break
        case wireTypes.delimited:
          this.at = this.until(end)
          break
        case wireTypes.groupStart:
          depth++
          break
        case wireTypes.groupEnd:
          depth--
          break
        case wireTypes.fixed32:
          this.#pass(4, end)
          break
        default:
          throw new Unreadable(`proto: illegal wireType ${wireType}`)
      }
      if (depth === 0) return
      this.#number(end)
      wireType = this.#low & 7
    }
  }

  #isAscii(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if ((this.#bytes[at] as number) > 0x7f) return false
    return true
  }

  #pass(bytes: number, end: number): number {
    const start = this.at
    if (start + bytes > end) throw new Unreadable(cutOff)
    this.at += bytes
    return start
  }

  #number(end: number): void {
    const bytes = this.#bytes
    const first = bytes[this.at] ?? 0xff
    if (first < 0x80 && this.at < end) {
      this.at++
      this.#low = first
      this.#high = 0
      return
    }
    let low = 0
    let high = 0
    for (let shift = 0; ; shift += 7) {
      if (shift >= 64) throw new Unreadable('proto: integer overflow')
      if (this.at >= end) throw new Unreadable(cutOff)
      const byte = bytes[this.at++] as number
      const bits = byte & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 28) high |= bits << (shift - 32)
      else if (shift === 28) high |= bits >>> 4
      if (byte < 0x80) break
    }
    this.#low = low >>> 0
    this.#high = high >>> 0
  }

  #unsigned(): bigint {
    return (BigInt(this.#high) << 32n) | BigInt(this.#low)
  }
}

const cutOff = 'unexpected EOF'

/**
 * Texts up to this are cut out of one that is made of the whole body, which is several times as fast as asking the
 * buffer for each. Longer ones would not be copies: V8 would keep the body for as long as they live.
 */
const shortText = 12
