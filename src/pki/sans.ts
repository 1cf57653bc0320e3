import { isIP } from 'node:net'
import type { Element } from './der.ts'
import { DerError, inside, tags } from './der.ts'
import { element, sequence } from './der-write.ts'
import { failures } from './failures.ts'

/** Subject alternative names. */
export interface Sans {
  dnsNames: readonly string[]
  /** Canonical: `127.0.0.1`, `2001:db8::1`. */
  ipAddresses: readonly string[]
  uris: readonly string[]
  emails: readonly string[]
  /** The kinds of other names that are present, such as `otherName`. Told so that a check can refuse them. */
  otherKinds: readonly string[]
}

export const noSans: Sans = { dnsNames: [], ipAddresses: [], uris: [], emails: [], otherKinds: [] }

const kindOfTag: Readonly<Record<number, string>> = {
  129: 'email',
  130: 'dns',
  134: 'uri',
  135: 'ip',
  160: 'otherName',
  163: 'x400Address',
  164: 'directoryName',
  165: 'ediPartyName',
  136: 'registeredId',
}

/** A GeneralNames in DER. */
export function readSans(generalNames: Element): Sans {
  const names = inside(generalNames, tags.sequence).map((name) => ({ kind: kindOf(name), body: name.body }))
  const bodies = (kind: string) => names.filter((name) => name.kind === kind).map((name) => name.body)
  const known = ['email', 'dns', 'uri', 'ip']
  return {
    dnsNames: bodies('dns').map(ia5),
    ipAddresses: bodies('ip').map(readIp),
    uris: bodies('uri').map(ia5),
    emails: bodies('email').map(ia5),
    otherKinds: names.map(({ kind }) => kind).filter((kind) => !known.includes(kind)),
  }
}

function kindOf(name: Element): string {
  const kind = kindOfTag[name.tag]
  if (!kind) throw new DerError('has an alternative name of an unknown kind')
  return kind
}

function ia5(body: Buffer): string {
  if (body.some((byte) => byte > 0x7f)) throw new DerError('has an alternative name outside ASCII')
  return body.toString('latin1')
}

function readIp(body: Buffer): string {
  if (body.length === 4) return body.join('.')
  if (body.length !== 16) throw new DerError('has an IP address of neither 4 nor 16 bytes')
  return canonicalIp(body.toString('hex').replace(/(.{4})(?!$)/g, '$1:'))
}

// The URL parser writes IPv6 as RFC 5952 asks, and without dotted quads.
const canonicalIp = (ip: string): string => (isIP(ip) === 6 ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip)

/** The GeneralNames in DER; undefined when there is nothing to name. */
export function encodeSans({ dnsNames = [], ipAddresses = [], uris = [], emails = [] }: Partial<Sans>) {
  const ascii = (tag: number, value: string) => element(tag, Buffer.from(value, 'latin1'))
  const names = [
    ...dnsNames.map((value) => ascii(130, checked('DNS name', value, isDnsName))),
    ...ipAddresses.map((value) => element(135, ipBytes(checked('IP address', value, isPlainIp)))),
    ...uris.map((value) => ascii(134, checked('URI', value, isUri))),
    ...emails.map((value) => ascii(129, checked('email', value, isEmail))),
  ]
  return names.length === 0 ? undefined : sequence(...names)
}

function ipBytes(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number))
  const [before = [], after] = canonicalIp(ip)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const left = 8 - before.length - (after?.length ?? 0)
  const groups = after ? [...before, ...Array.from({ length: left }, () => '0'), ...after] : before
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const isPlainIp = (value: string) => isIP(value) !== 0 && !value.includes('%')
const isDnsName = (value: string) => value.length <= 253 && /^(\*\.)?\w([\w-]*\w)?(\.\w([\w-]*\w)?)*$/.test(value)
const isUri = (value: string) => /^[\x21-\x7e]+$/.test(value) && URL.canParse(value)
const isEmail = (value: string) => /^[\x21-\x7e]+@[\x21-\x7e]+$/.test(value)

function checked(kind: string, value: string, isValid: (value: string) => boolean): string {
  if (!isValid(value)) throw failures.PKI_SAN_INVALID({ kind, value: JSON.stringify(value) })
  return value
}
