import { goQuote } from '../../go-quote.ts'

export const ipType = 'net.IP'

/** An address: 32 bits or 128. */
export class IpAddress {
  readonly typeName = ipType
  readonly value: bigint
  readonly bits: 32 | 128

  constructor(value: bigint, bits: 32 | 128) {
    this.value = value
    this.bits = bits
  }

  equals(other: IpAddress): boolean {
    return this.bits === other.bits && this.value === other.value
  }

  /** In its one canonical form. */
  toString(): string {
    if (this.bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (this.value >> shift) & 0xffn).join('.')
    const groups = Array.from({ length: 8 }, (_, index) => (this.value >> BigInt(112 - index * 16)) & 0xffffn)
    const [start, length] = longestZeros(groups)
    const hex = groups.map((group) => group.toString(16))
    if (length < 2) return hex.join(':')
    return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
  }
}

function longestZeros(groups: readonly bigint[]): [start: number, length: number] {
  let best: [number, number] = [0, 0]
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0n) length++
    if (length > best[1]) best = [start, length]
  }
  return best
}

export interface Parsed {
  readonly address: IpAddress
  readonly zone: string
}

/** Throws an Error in the words of Go for what is no address. */
export function parseAddress(text: string): Parsed {
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') return { address: new IpAddress(parseFour(text, text), 32), zone: '' }
  if (first === ':') return parseSix(text)
  throw bad(text, first === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

const bad = (text: string, words: string, at = ''): Error =>
  new Error(`ParseAddr(${goQuote(text)}): ${words}${at && ` (at ${goQuote(at)})`}`)

/** `part` is what is read of `text`. The first flaw is told, in the order of the characters. */
function parseFour(text: string, part: string): bigint {
  let [value, fields, field] = [0n, 0, '']
  for (const [index, character] of [...part].entries()) {
    if (/\d/.test(character)) {
      if (field === '0') throw bad(text, 'IPv4 field has octet with leading zero')
      field += character
      if (Number(field) > 255) throw bad(text, 'IPv4 field has value >255')
    } else if (character === '.') {
      if (field === '' || index === part.length - 1)
        throw bad(text, 'IPv4 field must have at least one digit', part.slice(index))
      if (++fields > 3) throw bad(text, 'IPv4 address too long')
      value = (value << 8n) | BigInt(field)
      field = ''
    } else throw bad(text, 'unexpected character', part.slice(index))
  }
  if (fields < 3) throw bad(text, 'IPv4 address too short')
  return (value << 8n) | BigInt(field)
}

function parseSix(text: string): Parsed {
  const [, written = text, zone] = /^([^%]*)%(.*)$/s.exec(text) ?? []
  if (zone === '') throw bad(text, 'zone must be a non-empty string')
  const groups: bigint[] = []
  let gap = written.startsWith('::') ? 0 : -1
  let rest = gap === 0 ? written.slice(2) : written
  while (rest !== '' && groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
    if (digits.length > 4) throw bad(text, 'each group must have 4 or less digits', rest)
    if (digits === '') throw bad(text, 'each colon-separated field must have at least one digit', rest)
    const after = rest.slice(digits.length)
    if (after.startsWith('.')) {
      groups.push(...fourAtEnd(text, rest, groups.length, gap >= 0))
      rest = ''
      break
    }
    groups.push(BigInt(`0x${digits}`))
    if (after === '') {
      rest = ''
      break
    }
    if (!after.startsWith(':')) throw bad(text, 'unexpected character, want colon', after)
    if (after === ':') throw bad(text, 'colon must be followed by more characters', after)
    rest = after.slice(1)
    if (rest.startsWith(':')) {
      if (gap >= 0) throw bad(text, 'multiple :: in address', rest)
      gap = groups.length
      rest = rest.slice(1)
    }
  }
  if (rest !== '') throw bad(text, 'trailing garbage after address', rest)
  return { address: new IpAddress(joined(text, groups, gap), 128), zone: zone ?? '' }
}

function fourAtEnd(text: string, part: string, groups: number, hasGap: boolean): bigint[] {
  if (!hasGap && groups !== 6)
    throw bad(text, 'embedded IPv4 address must replace the final 2 fields of the address', part)
  if (groups > 6) throw bad(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', part)
  const value = parseFour(text, part)
  return [value >> 16n, value & 0xffffn]
}

function joined(text: string, groups: readonly bigint[], gap: number): bigint {
  if (gap < 0 && groups.length < 8) throw bad(text, 'address string too short')
  if (gap >= 0 && groups.length === 8) throw bad(text, 'the :: must expand to at least one field of zeros')
  const zeros = Array.from({ length: 8 - groups.length }, () => 0n)
  const all = gap < 0 ? groups : [...groups.slice(0, gap), ...zeros, ...groups.slice(gap)]
  return all.reduce((value, group) => (value << 16n) | group, 0n)
}
