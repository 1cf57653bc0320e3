import { isIPv4, isIPv6 } from 'node:net'

const uuid = (version: string, variant = '[0-9a-f]') =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')
const matches = (pattern: RegExp) => (value: string) => pattern.test(value)

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

const ofStrings: Record<string, (value: string) => boolean> = {
  'date-time': isDateTime,
  datetime: isDateTime,
  date: isDate,
  byte: (value) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(value),
  uuid: matches(uuid('[0-9a-f]')),
  uuid3: matches(uuid('3')),
  uuid4: matches(uuid('4', '[89ab]')),
  uuid5: matches(uuid('5', '[89ab]')),
  // Go's own reading forbids leading zeros; this one does not.
  ipv4: (value) => isIPv4(value.replace(/\b0+(?=\d)/g, '')),
  ipv6: (value) => isIPv6(value) && !value.includes('%'),
  cidr: isCidr,
  mac: matches(/^(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4})$/i),
  hostname: isHostname,
  email: matches(/^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/),
  uri: isRequestUri,
  duration: isDuration,
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  isbn: (value) => isIsbn10(value) || isIsbn13(value),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]\d{4}$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: (value) =>
    /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/.test(value) &&
    (value.match(/\d+/g) ?? []).every((part) => Number(part) <= 255),
  'k8s-short-name': (value) => value.length <= 63 && new RegExp(`^${label}$`).test(value),
  'k8s-long-name': (value) => value.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(value),
  password: () => true,
}

const int32 = 2 ** 31
const largestFloat = 3.4028234663852886e38

/** True for a format that is not known here, as the API server has it. */
export const hasFormat = (format: string, value: string): boolean =>
  !Object.hasOwn(ofStrings, format) || ofStrings[format]?.(value) === true

export function isWithinFormat(type: 'integer' | 'number', format: string | undefined, value: number): boolean {
  if (type === 'integer' && format === 'int32') return value >= -int32 && value < int32
  if (type === 'number' && format === 'float') return Math.abs(value) <= largestFloat
  return true
}

/** What the API server warns of when a schema asks for another. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64'
  if (type === 'number') return format === 'float' || format === 'double'
  return type === 'string' && Object.hasOwn(ofStrings, format)
}

function isDate(value: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value)
  if (!found) return false
  const [year = 0, month = 0, day = 0] = found.slice(1).map(Number)
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isDateTime(value: string): boolean {
  const found = dateTime.exec(value)
  if (!found) return false
  const [, date = '', hours, minutes, seconds] = found
  return isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60
}

function isCidr(value: string): boolean {
  const [address = '', length = '', more] = value.split('/')
  if (more !== undefined || !/^\d{1,3}$/.test(length)) return false
  return (isIPv4(address) && Number(length) <= 32) || (isIPv6(address) && Number(length) <= 128)
}

/** Lower case, and the last part not all digits. */
function isHostname(value: string): boolean {
  const part = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
  return value.length <= 255 && new RegExp(`^${part}(\\.${part})*$`).test(value) && !/^[\d.]+$/.test(value)
}

/** An absolute URI or an absolute path: what a request line may ask for. */
function isRequestUri(value: string): boolean {
  if (value === '*') return true
  if (!/^[\x21-\x7e\x80-\u{10ffff}]+$/u.test(value) || /%(?![0-9a-fA-F]{2})/.test(value)) return false
  if (value.startsWith('/')) return true
  return /^[a-z][a-z0-9+.-]*:/i.test(value) && (URL.canParse(value) || !value.includes('//'))
}

const goDuration = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
const wordedDuration =
  /^(?:\s*-?\d+(?:\.\d+)?\s*(?:nanoseconds?|nanos?|ns|microseconds?|micros?|us|µs|milliseconds?|millis?|ms|seconds?|secs?|sec|s|minutes?|mins?|min|m|hours?|hrs?|hr|h|days?|d|weeks?|wks?|wk|w))+\s*$/

function isDuration(value: string): boolean {
  return goDuration.test(value) || value === '0' || wordedDuration.test(value)
}

const digitsOf = (value: string): string => value.replace(/[\s-]+/g, '')

function isIsbn10(value: string): boolean {
  const digits = digitsOf(value)
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  return (
    [...digits].reduce((sum, digit, index) => sum + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0
  )
}

function isIsbn13(value: string): boolean {
  const digits = digitsOf(value)
  if (!/^\d{13}$/.test(digits)) return false
  return [...digits].reduce((sum, digit, index) => sum + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0
}

function isCreditCard(value: string): boolean {
  const digits = value.replace(/\D+/g, '')
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/.test(
      digits,
    )
  )
    return false
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
