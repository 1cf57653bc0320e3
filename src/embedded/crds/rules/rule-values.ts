import type { Schema } from '../../../core/schema/schema.ts'
import { escapeName } from '../../cel/escape.ts'
import { durationOf, parseDuration, parseTimestamp } from '../../cel/library/instants.ts'
import { asMapList, asSetList } from '../../cel/library/list-kinds.ts'
import { mapKeysOf } from '../correlated.ts'
import type { RuleType } from './rule-types.ts'

export const wrongType = (expected: string): Error => new Error(`invalid data, expected ${expected}`)

/** A value of CEL for a string, number or boolean of JSON. */
export function scalarValue(raw: unknown, schema: Schema): unknown {
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof raw === 'string') return raw
    if (Number.isInteger(raw)) return BigInt(raw as number)
    throw wrongType('XIntOrString value to be either a string or integer')
  }
  const got = () => wrongType(`${goNames[schema.type ?? ''] ?? schema.type}, got ${goType(raw)}`)
  switch (schema.type) {
    case 'integer':
      if (!Number.isInteger(raw)) throw got()
      return BigInt(raw as number)
    case 'number':
      if (typeof raw !== 'number') throw got()
      return raw
    case 'boolean':
      if (typeof raw !== 'boolean') throw got()
      return raw
    default:
      if (typeof raw !== 'string') throw got()
      return textValue(raw, schema.format)
  }
}

const goNames: Readonly<Record<string, string>> = { integer: 'int', number: 'float', boolean: 'bool' }

/** The name that Go has for what a value of JSON becomes. */
function goType(raw: unknown): string {
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'int64' : 'float64'
  if (typeof raw === 'boolean') return 'bool'
  if (typeof raw === 'string') return 'string'
  return Array.isArray(raw) ? '[]interface {}' : 'map[string]interface {}'
}

function textValue(text: string, format: string | undefined): unknown {
  switch (format) {
    case 'date':
      return known(parseTimestamp(`${text}T00:00:00Z`), `Invalid date formatted string ${text}`)
    case 'date-time':
      return known(parseTimestamp(text.toUpperCase()), `Invalid date-time formatted string ${text}`)
    case 'duration':
      return known(parseDuration(text) ?? longDuration(text), `Invalid duration ${text}`)
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'))
    default:
      return text
  }
}

function known<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise)
  return value
}

const nanosIn: readonly [unit: RegExp, nanos: bigint][] = [
  [/^(?:ns|nanos?)$/, 1n],
  [/^(?:us|µs|micros?)$/, 1_000n],
  [/^(?:ms|millis?)$/, 1_000_000n],
  [/^(?:s|secs?|seconds?)$/, 1_000_000_000n],
  [/^(?:m|mins?|minutes?)$/, 60_000_000_000n],
  [/^(?:h|hr|hours?)$/, 3_600_000_000_000n],
  [/^(?:d|days?)$/, 86_400_000_000_000n],
  [/^(?:w|wks?|weeks?)$/, 604_800_000_000_000n],
]

/** `2 days`: the format of schemas allows words where Go's own durations have letters. */
function longDuration(text: string) {
  let total = 0n
  let isOne = false
  for (const [, amount = '', unit = ''] of text.matchAll(/(?<!\d)(\d+)(?!\d)\s*([A-Za-zµ]+)/g)) {
    const nanos = nanosIn.find(([words]) => words.test(unit.toLowerCase()))?.[1]
    if (nanos === undefined) return undefined
    total += BigInt(amount) * nanos
    isOne = true
  }
  return isOne ? durationOf(total) : undefined
}

/** A list, which knows whether the order of its items counts. */
export function listValue(raw: unknown, schema: Schema, items: RuleType): readonly unknown[] {
  if (!Array.isArray(raw)) throw wrongType('an array for the provided schema with type=array')
  const values = raw.map((item) => items.toValue(item))
  const keys = mapKeysOf(schema)
  if (keys)
    return asMapList(
      values,
      keys.map((key) => escapeName(key) ?? key),
    )
  return schema['x-kubernetes-list-type'] === 'set' ? asSetList(values) : values
}
