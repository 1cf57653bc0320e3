import { goQuote } from '../../go-quote.ts'

/** Why a text is no timestamp, in Go's words. */
export class BadTime extends Error {}

const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/

/** A `metav1.Time` as it is kept: seconds, in UTC. Undefined for the zero time, which is written as null. */
export function decodeTime(text: string): string | undefined {
  if (text.length === 20 && plain.test(text) && !text.startsWith('0001-')) return text
  return iso(parse(text, '2006-01-02T15:04:05Z07:00'), '')
}

/** A `metav1.MicroTime`: with exactly six digits behind the point. */
export function decodeMicroTime(text: string): string | undefined {
  if (text.length === 27 && plain.test(text) && !text.startsWith('0001-')) return text
  const moment = parse(text, '2006-01-02T15:04:05.000000Z07:00')
  return iso(moment, `.${moment.fraction}`)
}

interface Moment {
  ms: number
  /** Six digits or none. */
  fraction: string
}

const zeroTimeMs = -62_135_596_800_000

function iso({ ms, fraction }: Moment, suffix: string): string | undefined {
  if (ms === zeroTimeMs && !/[1-9]/.test(fraction)) return undefined
  return `${new Date(ms).toISOString().slice(0, 19)}${suffix}Z`
}

function parse(text: string, layout: string): Moment {
  let rest = text
  const fail = (wanted: string): never => {
    throw new BadTime(
      `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(rest)} as ${goQuote(wanted)}`,
    )
  }
  const take = (pattern: RegExp, wanted: string): string => {
    const found = pattern.exec(rest)?.[0] ?? fail(wanted)
    rest = rest.slice(found.length)
    return found
  }
  const within = (value: number, least: number, most: number, what: string): number => {
    if (value < least || value > most) throw new BadTime(`parsing time ${goQuote(text)}: ${what} out of range`)
    return value
  }
  const year = Number(take(/^\d{4}/, '2006'))
  take(/^-/, '-')
  const month = within(Number(take(/^\d\d/, '01')), 1, 12, 'month')
  take(/^-/, '-')
  const day = Number(take(/^\d\d/, '02'))
  take(/^T/, 'T')
  const hour = within(Number(take(/^\d\d?/, '15')), 0, 23, 'hour')
  take(/^:/, ':')
  const minute = within(Number(take(/^\d\d/, '04')), 0, 59, 'minute')
  take(/^:/, ':')
  const second = within(Number(take(/^\d\d/, '05')), 0, 59, 'second')
  const fraction = layout.includes('.000000') ? take(/^[.,]\d{6}/, '.000000').slice(1) : ''
  if (!fraction) rest = rest.replace(/^[.,]\d+/, '')
  const zone = take(/^(?:Z|[+-]\d\d:\d\d)/, 'Z07:00')
  const offsetMinutes = zone === 'Z' ? 0 : offset(zone, within)
  if (rest !== '') throw new BadTime(`parsing time ${goQuote(text)}: extra text: ${goQuote(rest)}`)
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  within(day, 1, midnight.getUTCMonth() === month - 1 ? 31 : 0, 'day')
  return { ms: midnight.getTime() + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1_000, fraction }
}

function offset(zone: string, within: (value: number, least: number, most: number, what: string) => number): number {
  const hours = within(Number(zone.slice(1, 3)), 0, 24, 'time zone offset hour')
  const minutes = within(Number(zone.slice(4)), 0, 60, 'time zone offset minute')
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
