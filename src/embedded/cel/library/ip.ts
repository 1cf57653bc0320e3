import { goQuote } from '../../go-quote.ts'
import type { IpAddress } from './ip-address.ts'
import { ipType, parseAddress } from './ip-address.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

/** Whether the first `length` bits are those of this address. */
const begins = (value: bigint, bits: number, length: number, start: bigint): boolean =>
  value >> BigInt(bits - length) === start

/** An address of four parts written as one of six. */
export const isMapped = ({ value, bits }: IpAddress): boolean => bits === 128 && begins(value, bits, 96, 0xffffn)

/** Throws an Error in the words of Kubernetes. */
export function parseIp(text: string): IpAddress {
  const { address, zone } = parsed(text)
  if (zone !== '') throw new Error(`IP address ${goQuote(text)} with zone value is not allowed`)
  if (isMapped(address)) throw new Error(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return address
}

function parsed(text: string) {
  try {
    return parseAddress(text)
  } catch (error) {
    throw new Error(
      `IP Address ${goQuote(text)} parse error during conversion from string: ${(error as Error).message}`,
    )
  }
}

export function isIp(text: string): boolean {
  try {
    parseIp(text)
    return true
  } catch {
    return false
  }
}

type Is = (address: IpAddress) => boolean

/** In four parts, or in six. */
const either =
  ([fourLength, four]: [number, bigint], [sixLength, six]: [number, bigint]): Is =>
  ({ value, bits }) =>
    bits === 32 ? begins(value, bits, fourLength, four) : begins(value, bits, sixLength, six)

const isUnspecified: Is = ({ value }) => value === 0n
const isLoopback = either([8, 127n], [128, 1n])
const isMulticast = either([4, 0xen], [8, 0xffn])
const isLinkLocalUnicast = either([16, 0xa9fen], [10, 0x3fan])
const broadcast = 0xffffffffn
const isLinkLocalMulticast: Is = ({ value, bits }) =>
  bits === 32 ? begins(value, bits, 24, 0xe00000n) : begins(value, bits, 8, 0xffn) && ((value >> 112n) & 0xfn) === 2n

const isGlobalUnicast: Is = (address) =>
  !(address.bits === 32 && address.value === broadcast) &&
  ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(address))

/** Addresses. */
export const ips: readonly Overload[] = [
  overload(`ip(string): ${ipType}`, parseIp),
  overload('isIP(string): bool', isIp),
  overload('ip.isCanonical(string): bool', (text: string) => parseIp(text).toString() === text),
  overload(`string(${ipType}): string`, String),
  overload(`${ipType}.family(): int`, ({ bits }: IpAddress) => (bits === 32 ? 4n : 6n)),
  overload(`${ipType}.isUnspecified(): bool`, isUnspecified),
  overload(`${ipType}.isLoopback(): bool`, isLoopback),
  overload(`${ipType}.isLinkLocalMulticast(): bool`, isLinkLocalMulticast),
  overload(`${ipType}.isLinkLocalUnicast(): bool`, isLinkLocalUnicast),
  overload(`${ipType}.isGlobalUnicast(): bool`, isGlobalUnicast),
]
