import { goQuote } from '../../go-quote.ts'
import { isIp, isMapped, parseIp } from './ip.ts'
import { IpAddress, ipType, parseAddress } from './ip-address.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

export const cidrType = 'net.CIDR'

/** A block of addresses: those that begin like this one. */
export class Cidr {
  readonly typeName = cidrType
  readonly address: IpAddress
  readonly length: number

  constructor(address: IpAddress, length: number) {
    this.address = address
    this.length = length
  }

  masked(): Cidr {
    const rest = BigInt(this.address.bits - this.length)
    return new Cidr(new IpAddress((this.address.value >> rest) << rest, this.address.bits), this.length)
  }

  contains(address: IpAddress): boolean {
    const rest = BigInt(this.address.bits - this.length)
    return address.bits === this.address.bits && address.value >> rest === this.address.value >> rest
  }

  equals(other: Cidr): boolean {
    return this.length === other.length && this.address.equals(other.address)
  }

  toString(): string {
    return `${this.address}/${this.length}`
  }
}

const failed = 'network address parse error during conversion from string: '

/** Throws an Error in the words of Kubernetes. */
function readCidr(text: string): Cidr {
  const slash = text.lastIndexOf('/')
  const bad = (words: string) => new Error(`${failed}netip.ParsePrefix(${goQuote(text)}): ${words}`)
  if (slash < 0) throw bad("no '/'")
  const { address, zone } = parsed(text.slice(0, slash), bad)
  if (zone !== '') throw bad('IPv6 zones cannot be present in a prefix')
  const length = text.slice(slash + 1)
  if (!/^(?:0|[1-9]\d*)$/.test(length)) throw bad(`bad bits after slash: ${goQuote(length)}`)
  if (Number(length) > address.bits) throw bad('prefix length out of range')
  if (isMapped(address)) throw new Error(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return new Cidr(address, Number(length))
}

function parsed(text: string, bad: (words: string) => Error) {
  try {
    return parseAddress(text)
  } catch (error) {
    throw bad((error as Error).message)
  }
}

function parseCidr(text: string): Cidr {
  try {
    return readCidr(text)
  } catch (error) {
    throw new Error(failed + (error as Error).message)
  }
}

function isCidr(text: string): boolean {
  try {
    readCidr(text)
    return true
  } catch {
    return false
  }
}

/** What is no address is told only as an argument that does not fit: so it is in Kubernetes. */
function containsText(block: Cidr, text: string): boolean {
  if (!isIp(text)) throw new Error('no such overload')
  return block.contains(parseIp(text))
}

const containsBlock = (outer: Cidr, inner: Cidr): boolean =>
  outer.length <= inner.length && outer.contains(inner.address)

/** Blocks of addresses. */
export const cidrs: readonly Overload[] = [
  overload(`cidr(string): ${cidrType}`, parseCidr),
  overload('isCIDR(string): bool', isCidr),
  overload(`string(${cidrType}): string`, String),
  overload(`${cidrType}.containsIP(string): bool`, containsText),
  overload(`${cidrType}.containsIP(${ipType}): bool`, (block: Cidr, address: IpAddress) => block.contains(address)),
  overload(`${cidrType}.containsCIDR(string): bool`, (block: Cidr, text: string) =>
    containsBlock(block, parseCidr(text)),
  ),
  overload(`${cidrType}.containsCIDR(${cidrType}): bool`, containsBlock),
  overload(`${cidrType}.ip(): ${ipType}`, ({ address }: Cidr) => address),
  overload(`${cidrType}.prefixLength(): int`, ({ length }: Cidr) => BigInt(length)),
  overload(`${cidrType}.masked(): ${cidrType}`, (block: Cidr) => block.masked()),
]
