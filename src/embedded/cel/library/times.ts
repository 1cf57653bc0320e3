import type { Duration } from '@marcbachmann/cel-js/evaluator'
import { clockAt, nanosOfDuration, second } from './instants.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

const timestamp = 'google.protobuf.Timestamp'
const duration = 'google.protobuf.Duration'

const dayOfYear = (at: Date): number => {
  const newYear = new Date(at)
  newYear.setUTCMonth(0, 1)
  return Math.round((at.getTime() - newYear.getTime()) / 86_400_000)
}

const parts: Readonly<Record<string, (at: Date) => number>> = {
  getFullYear: (at) => at.getUTCFullYear(),
  getMonth: (at) => at.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (at) => at.getUTCDate() - 1,
  getDate: (at) => at.getUTCDate(),
  getDayOfWeek: (at) => at.getUTCDay(),
  getHours: (at) => at.getUTCHours(),
  getMinutes: (at) => at.getUTCMinutes(),
  getSeconds: (at) => at.getUTCSeconds(),
  getMilliseconds: (at) => at.getUTCMilliseconds(),
}

const wholes: Readonly<Record<string, bigint>> = {
  getHours: 3600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
  getMilliseconds: 1_000_000n,
}

/** Parts of moments, in UTC or in a zone, and durations in whole units. */
export const times: readonly Overload[] = [
  ...Object.entries(parts).flatMap(([name, read]) => [
    overload(`${timestamp}.${name}(): int`, (at: Date) => BigInt(read(at))),
    overload(`${timestamp}.${name}(string): int`, (at: Date, zone: string) => BigInt(read(clockAt(at, zone)))),
  ]),
  ...Object.entries(wholes).map(([name, unit]) =>
    overload(`${duration}.${name}(): int`, (length: Duration) => nanosOfDuration(length) / unit),
  ),
]
