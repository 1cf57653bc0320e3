/**
 * Which addresses this process connects to when it was a user who named them. A connection is checked where it is made,
 * by the address that a name stands for at that moment: a name that was checked earlier may stand for another one later.
 */
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import type { Failure } from './failure.ts'
import { isFailure } from './failure.ts'
import { failures } from './failures.ts'

/**
 * Networks as CIDRs. Of those that hold an address the longest decides, and of two alike the denied one. Where none
 * does, an address may be connected to unless `allowed` names any network at all.
 */
export interface EgressRules {
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
}

export const everywhere: EgressRules = { allowed: [], denied: [] }

/** What a pod shares with its node or its cloud, and what no cluster and no issuer is ever found at. */
const localToPods: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  // Link-local. 169.254.169.254 tells credentials of the node at all clouds, 169.254.170.2 and .23 those of tasks and pods at AWS.
  '169.254.0.0/16',
  // Metadata at Alibaba and at Oracle, and the host of a machine at Azure.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '::/128',
  '::1/128',
  'fe80::/10',
  // What AWS and Google have for metadata in IPv6.
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  // NAT64 with a prefix of the network's own: only that network knows which IPv4 address is meant.
  '64:ff9b:1::/48',
]

/** What an administrator allows and denies, and in a pod what is local to it unless that very network is allowed. */
export const egressRules = ({ allowed, denied }: EgressRules, { inPod }: { inPod: boolean }): EgressRules => ({
  allowed,
  denied: [...denied, ...(inPod ? localToPods.filter((network) => !allowed.includes(network)) : [])],
})

/** By an IP address, also one in brackets or with a zone. */
export function mayConnect(address: string, rules: EgressRules): boolean {
  const verdicts = meaningsOf(address).map((meaning) => verdictOn(meaning, rules))
  if (verdicts.includes('denied')) return false
  return verdicts.includes('allowed') || rules.allowed.length === 0
}

type Resolve = (
  host: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * For `lookup` of `net.connect`, `tls.connect` and `http.request`, which connect to the addresses that it gives them and
 * to no others. It is not asked about a host that is an address, so that is checked here. Throws EGRESS_DENIED.
 */
export function checkedLookup(host: string, rules: EgressRules, resolve: Resolve = systemLookup): LookupFunction {
  const literal = unbracketed(host)
  if (isIP(literal) !== 0 && !mayConnect(literal, rules)) throw failures.EGRESS_DENIED({ host })
  return (name, options, found) =>
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const permitted = error ? [] : addresses.filter(({ address }) => mayConnect(address, rules))
      const [first] = permitted
      if (error) found(error, [])
      else if (!first) found(failures.EGRESS_DENIED({ host }), [])
      else if (options.all) found(null, permitted)
      else found(null, first.address, first.family)
    })
}

/**
 * For what a proxy is asked to connect to. The proxy resolves the name itself, so this is less than a check: it refuses a
 * name that stands for a denied address here, and lets one pass that is not known here. Throws EGRESS_DENIED.
 */
export function checkBehindProxy(host: string, rules: EgressRules, resolve: Resolve = systemLookup): Promise<void> {
  const literal = unbracketed(host)
  return new Promise((pass, refuse) => {
    const check = (addresses: readonly string[]) =>
      addresses.every((address) => mayConnect(address, rules)) ? pass() : refuse(failures.EGRESS_DENIED({ host }))
    if (isIP(literal) !== 0) check([literal])
    else resolve(literal, { all: true }, (error, found) => check(error ? [] : found.map(({ address }) => address)))
  })
}

/** EGRESS_DENIED, also where libraries have wrapped it. */
export function egressDenied(error: unknown): Failure | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (isFailure(at, 'EGRESS_DENIED')) return at
  return undefined
}

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '')

interface Address {
  readonly family: 4 | 6
  readonly bits: bigint
}

const widthOf = { 4: 32, 6: 128 } as const

function verdictOn(address: Address, { allowed, denied }: EgressRules): 'allowed' | 'denied' | undefined {
  const [yes, no] = [longestOf(allowed, address), longestOf(denied, address)]
  if (yes === undefined && no === undefined) return undefined
  return (yes ?? -1) > (no ?? -1) ? 'allowed' : 'denied'
}

/** How many bits the longest of the networks has that holds the address. */
function longestOf(networks: readonly string[], { family, bits }: Address): number | undefined {
  const held = networks.flatMap((network) => {
    const [text = '', length] = network.split('/')
    const base = addressIn(text)
    const rest = BigInt(widthOf[base.family] - Number(length))
    return base.family === family && base.bits >> rest === bits >> rest ? [Number(length)] : []
  })
  return held.length > 0 ? Math.max(...held) : undefined
}

const loopback: readonly Address[] = [
  { family: 4, bits: 0x7f00_0001n },
  { family: 6, bits: 1n },
]

/**
 * What an address stands for: itself, and the IPv4 address that some IPv6 addresses carry and lead to. Whoever connects to
 * the unspecified address (0.0.0.0, ::) connects to their own machine.
 */
function meaningsOf(text: string): Address[] {
  const carried = carriedBy(addressIn(unbracketed(text)))
  return carried.some(({ bits }) => bits === 0n) ? [...carried, ...loopback] : carried
}

function carriedBy(address: Address): Address[] {
  if (address.family === 4) return [address]
  const { bits } = address
  const high = (length: number) => bits >> BigInt(128 - length)
  const inner = (shift: number): Address => ({ family: 4, bits: (bits >> BigInt(shift)) & 0xffff_ffffn })
  // ::ffff:a.b.c.d is the IPv4 address; the kernel connects by IPv4.
  if (high(96) === 0xffffn) return [inner(0)]
  // ::a.b.c.d (RFC 4291), ::ffff:0:a.b.c.d (RFC 2765), 64:ff9b::a.b.c.d (RFC 6052)
  if ((high(96) === 0n && bits > 0xffffn) || high(96) === 0xffff_0000n || high(96) === 0x64_ff9bn << 64n)
    return [address, inner(0)]
  // 2002:aabb:ccdd:: (RFC 3056)
  if (high(16) === 0x2002n) return [address, inner(80)]
  // Teredo (RFC 4380) has the client's address last, each bit turned around.
  if (high(32) === 0x2001_0000n) return [address, inner(64), { family: 4, bits: ~bits & 0xffff_ffffn }]
  // ISATAP (RFC 5214): …:0:5efe:a.b.c.d, and …:200:5efe:a.b.c.d
  if (((bits >> 32n) & 0xfdff_ffffn) === 0x5efen) return [address, inner(0)]
  return [address]
}

function addressIn(text: string): Address {
  const [plain = ''] = text.split('%')
  if (isIP(plain) === 4)
    return { family: 4, bits: plain.split('.').reduce((all, part) => (all << 8n) | BigInt(Number(part)), 0n) }
  // The URL parser writes IPv6 without dotted quads.
  const [before = [], after = []] = new URL(`http://[${plain}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after]
  return { family: 6, bits: groups.reduce((all, group) => (all << 16n) | BigInt(Number.parseInt(group, 16)), 0n) }
}
