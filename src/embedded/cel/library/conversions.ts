import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import {
  durationText,
  floored,
  nanosOfDuration,
  nanosOfTimestamp,
  parseDuration,
  parseTimestamp,
  second,
  timestampAt,
  timestampText,
} from './instants.ts'
import { doubleText, parseDouble } from './numbers.ts'
import { int, uint } from './operators.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

const timestamp = 'google.protobuf.Timestamp'
const duration = 'google.protobuf.Duration'
const itself = (value: unknown): unknown => value

const cannot = (from: string, to: string): never => {
  throw new Error(`type conversion error from '${from}' to '${to}'`)
}

function whole(value: number, [least, most]: readonly [number, number], words: string): bigint {
  if (!(value > least && value < most)) throw new Error(words)
  return BigInt(Math.trunc(value))
}

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
}

/** As far as it is within 64 bits. */
function intOf(text: string): bigint {
  const value = /^[+-]?\d{1,30}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  return value === undefined || BigInt.asIntN(64, value) !== value ? cannot('string', 'int') : value
}

function uintOf(text: string): UnsignedInt {
  const value = /^\d{1,30}$/.test(text) ? BigInt(text) : undefined
  return value === undefined || BigInt.asUintN(64, value) !== value ? cannot('string', 'uint') : new UnsignedInt(value)
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** From one type to another. */
export const conversions: readonly Overload[] = [
  overload('dyn(T): dyn', itself),
  ...['bool', 'bytes', 'double', 'int', 'uint', 'string'].map((type) => overload(`${type}(${type}): ${type}`, itself)),
  overload(`timestamp(${timestamp}): ${timestamp}`, itself),
  overload(`duration(${duration}): ${duration}`, itself),
  overload('bool(string): bool', (text: string) =>
    Object.hasOwn(truths, text) ? truths[text] : cannot('string', 'bool'),
  ),
  overload('bytes(string): bytes', (text: string) => Buffer.from(text)),
  overload('double(int): double', Number),
  overload('double(uint): double', (value: UnsignedInt) => Number(value.value)),
  overload('double(string): double', (text: string) => parseDouble(text) ?? cannot('string', 'double')),
  overload('int(double): int', (value: number) => whole(value, [-(2 ** 63), 2 ** 63], 'integer overflow')),
  overload('int(uint): int', (value: UnsignedInt) => int(value.value)),
  overload('int(string): int', intOf),
  overload(`int(${timestamp}): int`, (at: Date) => floored(nanosOfTimestamp(at), second)),
  overload(`int(${duration}): int`, nanosOfDuration),
  overload('uint(int): uint', (value: bigint) => uint(value)),
  overload('uint(double): uint', (value: number) => uint(whole(value, [-1, 2 ** 64], 'unsigned integer overflow'))),
  overload('uint(string): uint', uintOf),
  overload('string(bool): string', String),
  overload('string(int): string', String),
  overload('string(uint): string', String),
  overload('string(double): string', doubleText),
  overload('string(bytes): string', textOf),
  overload(`string(${timestamp}): string`, timestampText),
  overload(`string(${duration}): string`, durationText),
  overload(`timestamp(int): ${timestamp}`, (seconds: bigint) => timestampAt(seconds * second)),
  overload(`timestamp(string): ${timestamp}`, (text: string) => parseTimestamp(text) ?? cannot('string', timestamp)),
  overload(`duration(int): ${duration}`, () => cannot('int', duration)),
  overload(`duration(string): ${duration}`, (text: string) => parseDuration(text) ?? cannot('string', duration)),
]
