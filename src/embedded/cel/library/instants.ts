import { Duration } from '@marcbachmann/cel-js/evaluator'
import { BoundedMap } from '../../../kube/bounded-map.ts'
import { goQuote } from '../../go-quote.ts'

export const second = 1_000_000_000n
const [leastInt64, mostInt64] = [-(2n ** 63n), 2n ** 63n - 1n]
/** From the beginning of the year 1 to the end of the year 9999. */
const [firstSecond, lastSecond] = [-62135596800n, 253402300799n]

/** The engine's timestamps are Dates, which know no more than milliseconds and no zone. */
const finer = Symbol('nanoseconds beyond the millisecond')
const zone = Symbol('minutes east of Greenwich')
type Instant = Date & { [finer]?: number; [zone]?: number }

export const nanosOfTimestamp = (at: Date): bigint =>
  BigInt(at.getTime()) * 1_000_000n + BigInt((at as Instant)[finer] ?? 0)

/** Throws for an instant outside of the years 1 to 9999. */
export function timestampAt(nanos: bigint, minutesEast = 0): Date {
  const seconds = floored(nanos, second)
  if (seconds < firstSecond || seconds > lastSecond) throw new Error('timestamp overflow')
  const milliseconds = floored(nanos, 1_000_000n)
  const at = new Date(Number(milliseconds)) as Instant
  at[finer] = Number(nanos - milliseconds * 1_000_000n)
  at[zone] = minutesEast
  return at
}

export const floored = (amount: bigint, by: bigint): bigint => (amount - (((amount % by) + by) % by)) / by

export const nanosOfDuration = ({ seconds, nanos }: Duration): bigint => seconds * second + BigInt(nanos)

/** Throws for one that 64 bits of nanoseconds do not hold. */
export function durationOf(nanos: bigint): Duration {
  if (nanos < leastInt64 || nanos > mostInt64) throw new Error('integer overflow')
  return new Duration(nanos / second, Number(nanos % second))
}

const timestampPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:(Z)|([+-])(\d{2}):(\d{2}))$/

/** RFC 3339, as Go reads it. Undefined for what is none. */
export function parseTimestamp(text: string): Date | undefined {
  const parts = timestampPattern.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, seconds] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [fraction = '', sign, eastHours = '0', eastMinutes = '0'] = [parts[7], parts[9], parts[10], parts[11]]
  if (hour > 23 || minute > 59 || seconds > 59 || Number(eastHours) > 24 || Number(eastMinutes) > 59) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined
  const east = (sign === '-' ? -1 : 1) * (Number(eastHours) * 60 + Number(eastMinutes))
  const whole = BigInt(midnight.getTime() / 1000) + BigInt(hour * 3600 + (minute - east) * 60 + seconds)
  return timestampAt(whole * second + BigInt(fraction.slice(0, 9).padEnd(9, '0')), east)
}

/** As it was written, in the zone in which it was. */
export function timestampText(at: Date): string {
  const minutesEast = (at as Instant)[zone] ?? 0
  const there = new Date(at.getTime() + minutesEast * 60_000)
  const nanos = nanosOfTimestamp(at)
  const fraction = trimmed((nanos - floored(nanos, second) * second).toString().padStart(9, '0'))
  const offset = [Math.floor(Math.abs(minutesEast) / 60), Math.abs(minutesEast) % 60].map((part) =>
    `${part}`.padStart(2, '0'),
  )
  const year = `${there.getUTCFullYear()}`.padStart(4, '0')
  const written =
    year +
    there
      .toISOString()
      .replace(/^[+-]?\d+/, '')
      .slice(0, 15)
  return written + fraction + (minutesEast === 0 ? 'Z' : `${minutesEast < 0 ? '-' : '+'}${offset.join(':')}`)
}

const trimmed = (digits: string): string => {
  const significant = digits.replace(/0+$/, '')
  return significant && `.${significant}`
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

/** More than 64 bits hold, but for zeros. */
const mostDigits = 1000

/** `1h30m`, as Go reads it. Undefined for what is none. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, parts = ''] = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text) ?? []
  if (parts === '') return undefined
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    if (whole.length > mostDigits) return undefined
    const scale = units[unit] as bigint
    total += BigInt(whole || '0') * scale
    // Go counts no more digits than 64 bits hold.
    total += (BigInt(fraction.slice(0, 18) || '0') * scale) / 10n ** BigInt(Math.min(fraction.length, 18))
  }
  const signed = sign === '-' ? -total : total
  return signed < leastInt64 || signed > mostInt64 ? undefined : durationOf(signed)
}

/** In seconds, as Kubernetes writes it: `90s`, `0.5s`. */
export function durationText(duration: Duration): string {
  const nanos = nanosOfDuration(duration)
  const size = nanos < 0n ? -nanos : nanos
  const text = `${size / second}${trimmed((size % second).toString().padStart(9, '0'))}`
  // Go goes by way of a double, which has no more than some seventeen digits.
  const written = text.replace('.', '').length > 15 ? String(Number(text)) : text
  return `${nanos < 0n ? '-' : ''}${written}s`
}

const calendars = new BoundedMap<string, Intl.DateTimeFormat>(64)

/** The same moment as clocks show it there, as a Date in UTC. Throws with Go's words for a zone that there is not. */
export function clockAt(at: Date, place: string): Date {
  const colon = place.indexOf(':')
  if (colon >= 0) {
    const [hours, minutes] = [place.slice(0, colon), place.slice(colon + 1)].map(wholeNumber) as [number, number]
    return new Date(at.getTime() + (hours * 60 + (place.startsWith('-') ? -minutes : minutes)) * 60_000)
  }
  if (place === '' || place === 'UTC' || place === 'Local') return at
  const parts = Object.fromEntries(
    calendarOf(place)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const there = new Date(0)
  there.setUTCFullYear(parts.year as number, (parts.month as number) - 1, parts.day)
  there.setUTCHours(parts.hour as number, parts.minute, parts.second, at.getUTCMilliseconds())
  return there
}

function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text)) throw new Error(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`)
  return Number(text)
}

function calendarOf(timeZone: string): Intl.DateTimeFormat {
  let calendar = calendars.get(timeZone)
  if (calendar === undefined) {
    calendar = newCalendar(timeZone)
    calendars.set(timeZone, calendar)
  }
  return calendar
}

function newCalendar(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric'
  const fields = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const
  try {
    return new Intl.DateTimeFormat('en-US', { ...fields, calendar: 'gregory', hourCycle: 'h23', timeZone })
  } catch {
    throw new Error(`unknown time zone ${timeZone}`)
  }
}
