import { Optional } from '@marcbachmann/cel-js'
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import type { Evaluator } from './engine.ts'

type Fit = (value: unknown) => boolean

const primitives: Readonly<Record<string, Fit>> = {
  dyn: () => true,
  string: (value) => typeof value === 'string',
  int: (value) => typeof value === 'bigint',
  double: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  bytes: (value) => value instanceof Uint8Array,
  uint: (value) => value instanceof UnsignedInt,
  optional: (value) => value instanceof Optional,
  map: (value) => value instanceof Map,
  list: (value) => Array.isArray(value),
  'google.protobuf.Timestamp': (value) => value instanceof Date,
  'google.protobuf.Duration': (value) => value instanceof Duration,
}

type FitIn = (value: unknown, evaluator: Evaluator) => boolean

/** There are no more types than the signatures of functions name. */
const known = new Map<string, FitIn>()

/** Whether a value is of a type: of a list only its first item is looked at, as CEL has it. */
export function fits(type: string, value: unknown, evaluator: Evaluator): boolean {
  let fit = known.get(type)
  if (fit === undefined) {
    fit = fitOf(type)
    known.set(type, fit)
  }
  return fit(value, evaluator)
}

function fitOf(type: string): FitIn {
  if (/^[A-Z]$/.test(type)) return () => true
  const [, outer = type, inner] = /^(list|map|optional)<(.*)>$/.exec(type) ?? []
  const fit = primitives[outer]
  if (fit === undefined)
    return (value, evaluator) => typeof value === 'object' && value !== null && evaluator.debugType(value).name === type
  if (outer !== 'list' || inner === undefined || inner === 'list<T>') return fit
  return (value, evaluator) => fit(value) && firstFits(inner, value as unknown[], evaluator)
}

const firstFits = (type: string, list: readonly unknown[], evaluator: Evaluator): boolean =>
  list.length === 0 || fits(type, list[0], evaluator)
