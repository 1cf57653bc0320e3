/** What is wanted of a value: all of it, or of an object these fields. */
type Wanted = 'all' | ReadonlyMap<string, Wanted>

const all = (...names: string[]): [string, Wanted][] => names.map((name) => [name, 'all'])

/**
 * What is kept of what has been read. A review may be sixteen times as long as its selectors are in the URL, and there
 * they fill what headers can hold: nobody asks for them here, so they are passed over byte by byte and kept nowhere.
 */
const keptLimitBytes = 1024 * 1024
/** No field that is wanted has a longer name. */
const longestName = 256

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

type Expected = 'start' | 'name or end' | 'name' | 'colon' | 'value' | 'comma or end' | 'nothing'

/**
 * Reads the JSON of a review as it comes, in pieces of any size, and keeps the fields that are wanted, also where one is
 * there twice. What is passed over need not be right; whether what was kept is right is for whoever parses it.
 */
export class ReviewFilter {
  /** Why nothing more has to be read; undefined as long as all is well. */
  fault: 'invalid' | 'too-large' | undefined
  readonly #review: ReadonlyMap<string, Wanted>
  #kept = Buffer.allocUnsafe(1_024)
  #length = 0
  #expected: Expected = 'start'
  /** Of the objects around: what is wanted of them. */
  readonly #around: ReadonlyMap<string, Wanted>[] = []
  /** The next field kept is the first of its object. */
  #isFirst = true
  /** Of a name that is being read, without its quotes; undefined between names. */
  #name: number[] | undefined
  #field = ''
  /** A value is being read, to be kept or passed over. */
  #value: 'kept' | 'passed over' | undefined
  #depth = 0
  #inText = false
  #isEscaped = false

  /** @param extra the key of `spec.extra` that is wanted */
  constructor(extra: string) {
    const spec = new Map<string, Wanted>([
      ...all('user', 'groups', 'group'),
      ['extra', new Map(all(extra))],
      ['resourceAttributes', new Map(all('verb', 'group', 'version', 'resource', 'subresource', 'namespace', 'name'))],
      ['nonResourceAttributes', new Map(all('verb', 'path'))],
    ])
    this.#review = new Map<string, Wanted>([...all('apiVersion', 'kind'), ['spec', spec]])
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.fault === undefined; ) {
      if (this.#value !== undefined) at = this.#readValue(chunk, at)
      else if (this.#name) at = this.#readName(chunk, at)
      else at = this.#between(chunk, at)
    }
  }

  /** What was kept, as JSON; undefined where what came was none. */
  end(): string | undefined {
    if (this.fault !== undefined || this.#expected !== 'nothing') return undefined
    return this.#kept.toString('utf8', 0, this.#length)
  }

  #between(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number
    if (isSpace(byte)) return at + 1
    switch (this.#expected) {
      case 'start':
        if (byte === openObject) this.#open(this.#review)
        else this.fault = 'invalid'
        return at + 1
      case 'name or end':
      case 'name':
        if (byte === quote) this.#name = []
        else if (byte === closeObject && this.#expected === 'name or end') this.#close()
        else this.fault = 'invalid'
        return at + 1
      case 'colon':
        if (byte === colon) this.#expected = 'value'
        else this.fault = 'invalid'
        return at + 1
      case 'value':
        return this.#begin(byte, at)
      case 'comma or end':
        if (byte === comma) this.#expected = 'name'
        else if (byte === closeObject) this.#close()
        else this.fault = 'invalid'
        return at + 1
      case 'nothing':
        this.fault = 'invalid'
        return at
    }
  }

  #begin(byte: number, at: number): number {
    if (byte === comma || byte === colon || byte === closeObject || byte === closeArray) this.fault = 'invalid'
    const wanted = this.#around.at(-1)?.get(this.#field)
    this.#expected = 'comma or end'
    if (wanted !== undefined) this.#write(`${this.#isFirst ? '' : ','}${JSON.stringify(this.#field)}:`)
    if (wanted !== undefined && wanted !== 'all' && byte === openObject) {
      this.#open(wanted)
      return at + 1
    }
    if (wanted !== undefined) this.#isFirst = false
    this.#value = wanted === undefined ? 'passed over' : 'kept'
    this.#depth = 0
    return at
  }

  #open(wanted: ReadonlyMap<string, Wanted>): void {
    this.#write('{')
    this.#around.push(wanted)
    this.#isFirst = true
    this.#expected = 'name or end'
  }

  #close(): void {
    this.#write('}')
    this.#around.pop()
    this.#isFirst = false
    this.#expected = this.#around.length === 0 ? 'nothing' : 'comma or end'
  }

  #readName(chunk: Uint8Array, from: number): number {
    const name = this.#name as number[]
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === quote && !this.#isEscaped) {
        this.#name = undefined
        this.#expected = 'colon'
        this.#field = name.length > longestName ? '' : this.#textOf(name)
        return at + 1
      }
      this.#isEscaped = byte === backslash && !this.#isEscaped
      if (name.length <= longestName) name.push(byte)
    }
    return chunk.length
  }

  /** As it is meant: `\u0061` is an a. */
  #textOf(name: readonly number[]): string {
    const raw = Buffer.from(name).toString()
    if (!name.includes(backslash)) return raw
    try {
      return JSON.parse(`"${raw}"`)
    } catch {
      this.fault = 'invalid'
      return ''
    }
  }

  /** The loop that meets every byte of sixteen million: nothing in it makes anything. */
  #readValue(chunk: Uint8Array, from: number): number {
    const end = chunk.length
    let depth = this.#depth
    let isOver = false
    let at = from
    while (at < end) {
      if (this.#inText) {
        at = this.#restOfText(chunk, at)
        isOver = !this.#inText && depth === 0
      } else {
        const byte = chunk[at] as number
        // What is neither text nor a list nor an object ends with what is around it.
        if (depth === 0 && (byte === comma || byte === closeObject || byte === closeArray || isSpace(byte))) break
        at += 1
        if (byte === quote) this.#inText = true
        else if (byte === openObject || byte === openArray) depth += 1
        else if (byte === closeObject || byte === closeArray) {
          depth -= 1
          isOver = depth === 0
        }
      }
      if (isOver) break
    }
    const isBroken = !isOver && at < end
    if (this.#value === 'kept') this.#keep(chunk, from, at)
    if (isOver || isBroken) this.#value = undefined
    this.#depth = depth
    return at
  }

  #restOfText(chunk: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) {
        this.#inText = false
        at += 1
        break
      }
    }
    this.#isEscaped = isEscaped
    return at
  }

  #write(text: string): void {
    const bytes = Buffer.from(text)
    this.#keep(bytes, 0, bytes.length)
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from
    if (length > keptLimitBytes) {
      this.fault = 'too-large'
      return
    }
    if (length > this.#kept.length) {
      const kept = Buffer.allocUnsafe(Math.max(length, this.#kept.length * 2))
      this.#kept.copy(kept, 0, 0, this.#length)
      this.#kept = kept
    }
    this.#kept.set(bytes.subarray(from, to), this.#length)
    this.#length = length
  }
}
