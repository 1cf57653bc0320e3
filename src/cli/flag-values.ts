import { InvalidArgumentError } from 'commander'

/** Parsers of flags. What they refuse is told with the name of the flag. */

/** `a,b` and the flag repeated. */
export const listOf = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').flatMap((part) => part.trim() || []),
]

/** The same for regular expressions, whose own commas are those in braces. */
export const patternsOf = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(/,(?![^{}]*\})/).flatMap((part) => part.trim() || []),
]

/** Repeated, each as it stands. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text]

/** `k=v,k2=v2` and the flag repeated. The first = parts key and value. */
export function pairsOf(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = listOf(text).map((pair) => {
    const at = pair.indexOf('=')
    if (at <= 0) throw new InvalidArgumentError(`"${pair}" is not of the form key=value.`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  return { ...before, ...Object.fromEntries(pairs) }
}

/** `A=true,B=false` and the flag repeated. */
export function gatesOf(text: string, before: Readonly<Record<string, boolean>> = {}): Record<string, boolean> {
  const gates = Object.entries(pairsOf(text)).map(([gate, value]) => {
    if (value !== 'true' && value !== 'false')
      throw new InvalidArgumentError(`"${gate}=${value}" must end in =true or =false.`)
    return [gate, value === 'true']
  })
  return { ...before, ...Object.fromEntries(gates) }
}

export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(
      max === Number.MAX_SAFE_INTEGER ? `It is a whole number from ${min}.` : `It is a whole number, ${min} to ${max}.`,
    )
  }

/** Of a certificate, in seconds: Kubernetes signs for at least ten minutes. 0 leaves it to the signer. */
export const certificateLife = (text: string): number => (text === '0' ? 0 : wholeNumber(600)(text))

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `90s`, `1h30m`, `500ms`, as Go writes them; in milliseconds. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new InvalidArgumentError('It is a duration such as 90s, 5m or 1h30m.')
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0), 0)
}

/** `127.0.0.1:9443`, `[::1]:9443`, or `:9443` for every address. */
export function addressOf(text: string): { host: string; port: number } {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new InvalidArgumentError('It is an address and a port such as 127.0.0.1:9443, or :9443 for every address.')
  return { host: bracketed ?? (plain || '0.0.0.0'), port: Number(port) }
}

/** An https URL, without slashes at its end. */
export const httpsUrl = (text: string): string => exactHttpsUrl(text).replace(/\/+$/, '')

/** As it stands: that of an issuer is compared letter by letter. */
export function exactHttpsUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text
  throw new InvalidArgumentError('It is a URL that begins with https://.')
}
