import { goQuote } from '../../go-quote.ts'

/** The parts of a URL as Go keeps them. */
export interface RequestUrl {
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string
}

const noEscape = /%(?![0-9a-fA-F]{2}).{0,2}/s

/** Throws an Error in the words of Go for what cannot be asked for: an absolute URL is needed, or an absolute path. */
export function parseRequestUrl(text: string): RequestUrl {
  try {
    const asked = parts(text, false)
    return asked.path === '*' ? asked : parts(text, true)
  } catch (error) {
    throw new Error(`parse ${goQuote(text)}: ${(error as Error).message}`)
  }
}

/** In a request there is no fragment, and no host without a scheme. Once it is known to be good, both are split off. */
function parts(text: string, isSplit: boolean): RequestUrl {
  if ([...text].some((character) => character < ' ' || character === '\x7f'))
    throw new Error('net/url: invalid control character in URL')
  if (text === '') throw new Error('empty url')
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' }
  if (text.startsWith(':')) throw new Error('missing protocol scheme')
  const whole = isSplit ? cut(text, '#')[0] : text
  const [, scheme = '', afterScheme = whole] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(whole) ?? []
  const [rest, query = ''] = cut(afterScheme, '?')
  const known = { scheme: scheme.toLowerCase(), query }
  if (!rest.startsWith('/')) {
    if (scheme === '') throw new Error('invalid URI for request')
    return { ...known, host: '', path: '' }
  }
  const hasHost = rest.startsWith('//') && (scheme !== '' || (isSplit && !rest.startsWith('///')))
  if (!hasHost) return { ...known, host: '', path: checkedPath(rest) }
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? []
  return { ...known, host: hostOf(authority), path: checkedPath(path) }
}

function cut(text: string, at: string): [string, string?] {
  const index = text.indexOf(at)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

function checkedPath(path: string): string {
  const bad = noEscape.exec(path)
  if (bad) throw new Error(`invalid URL escape ${goQuote(bad[0])}`)
  return path
}

function hostOf(authority: string): string {
  const at = authority.lastIndexOf('@')
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)))
    throw new Error('net/url: invalid userinfo')
  const host = authority.slice(at + 1)
  const closing = host.lastIndexOf(']')
  if (host.startsWith('[') && closing < 0) throw new Error("missing ']' in host")
  const colon = host.startsWith('[') ? closing + 1 : host.lastIndexOf(':')
  const port = colon < 0 ? '' : host.slice(colon)
  if (!/^(?::\d*)?$/.test(port)) throw new Error(`invalid port ${goQuote(port)} after host`)
  return checkedHost(host)
}

function checkedHost(host: string): string {
  const badEscape = noEscape.exec(host) ?? /%(?:[0-1][0-9a-fA-F]|[3-7][0-9a-fA-F]|2[0-46-9a-fA-F])/.exec(host)
  if (badEscape) throw new Error(`invalid URL escape ${goQuote(badEscape[0])}`)
  const bad = [...host].find(
    (character) => character < '\x80' && !/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/.test(character),
  )
  if (bad !== undefined) throw new Error(`invalid character ${goQuote(bad)} in host name`)
  return host
}

/** Without the port, and without the brackets around an IPv6 address. */
export function hostname({ host }: RequestUrl): string {
  const name = host.replace(/:\d*$/, '')
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1).replace('%25', '%') : name
}

export const portOf = ({ host }: RequestUrl): string => /:(\d*)$/.exec(host.replace(/^\[.*\]/s, ''))?.[1] ?? ''

/** As it was written if that is how a path is written, otherwise with everything escaped that should be. */
export function escapedPath({ path }: RequestUrl): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/.test(path)) return path
  const bytes = Buffer.from(unescaped(path), 'latin1')
  return [...bytes].map((byte) => escapedByte(String.fromCharCode(byte), byte)).join('')
}

const escapedByte = (character: string, byte: number): string =>
  /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Byte by byte: each character of what comes of it is one. */
const unescaped = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** What cannot be read is left out. */
export function queryOf({ query }: RequestUrl): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || noEscape.test(pair)) continue
    const [key, value = ''] = cut(pair, '=').map((part) => textOf((part as string).replaceAll('+', ' ')))
    const known = values.get(key as string)
    if (known) known.push(value)
    else values.set(key as string, [value])
  }
  return values
}

const textOf = (escaped: string): string => Buffer.from(unescaped(escaped), 'latin1').toString()
