import { deepestNesting } from '../decode/json-syntax.ts'
import { readJson } from '../decode/read-json.ts'
import { Unreadable } from '../decode/unreadable.ts'
import type { Field, Message, Scalar } from './messages.ts'
import type { Wire } from './wire.ts'
import { wireTypes } from './wire.ts'

type Fields = Record<string, unknown>

/** A message is at most an object in a map or a list. */
const deepest = deepestNesting / 2

/** What the bytes up to `end` add to `into`, as JSON has it. */
export function readFields(wire: Wire, end: number, message: Message, into: Fields, depth: number): Fields {
  if (depth > deepest) throw new Unreadable('exceeded max depth')
  while (wire.at < end) {
    wire.tag(end, message.name)
    const field = message.fields[wire.field]
    if (field) readField(wire, end, field, into, depth)
    else wire.skip(end)
  }
  return into
}

function readField(wire: Wire, end: number, field: Field, into: Fields, depth: number): void {
  switch (field.shape) {
    case 'one':
      readOne(wire, end, field, into, depth)
      return
    case 'inline':
      expect(wire, wireTypes.delimited, field)
      readFields(wire, wire.until(end), field.type as Message, into, depth + 1)
      return
    case 'list':
      into[field.name] ??= []
      readItems(wire, end, field, into[field.name] as unknown[], depth)
      return
    case 'map':
      into[field.name] ??= {}
      readEntry(wire, end, field, into[field.name] as Fields, depth)
  }
}

function readOne(wire: Wire, end: number, field: Field, into: Fields, depth: number): void {
  const { name, isKept } = field
  const value = readValue(wire, end, field, depth, into[name])
  if (value !== undefined && (isKept || !isZero(value))) into[name] = value
  else if (into[name] !== undefined) delete into[name]
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false

/** Numbers may come one by one or many behind one length. */
function readItems(wire: Wire, end: number, field: Field, list: unknown[], depth: number): void {
  const { type } = field
  const isNumeric = typeof type === 'string' && wireTypeOf[type] !== wireTypes.delimited
  if (!isNumeric || wire.wireType !== wireTypes.delimited) {
    list.push(readValue(wire, end, field, depth) ?? null)
    return
  }
  const until = wire.until(end)
  while (wire.at < until) list.push(readScalar(wire, until, type))
}

function readEntry(wire: Wire, end: number, field: Field, map: Fields, depth: number): void {
  expect(wire, wireTypes.delimited, field)
  const until = wire.until(end)
  let key = ''
  let value: unknown
  while (wire.at < until) {
    wire.tag(until, field.name)
    if (wire.field === 1) {
      expect(wire, wireTypes.delimited, field)
      key = wire.text(until)
    } else if (wire.field === 2) value = readValue(wire, until, field, depth)
    else wire.skip(until)
  }
  if (key === '__proto__') throw new Unreadable('a field is named "__proto__", which this server does not accept')
  map[key] = value ?? zeroOf(field.type)
}

const zeros: Readonly<Record<Scalar, unknown>> = {
  bool: false,
  bytes: '',
  double: 0,
  int32: 0,
  int64: 0,
  json: null,
  string: '',
}

function zeroOf(type: Field['type']): unknown {
  return typeof type === 'string' ? zeros[type] : type.toJson ? (type.toJson({}) ?? null) : {}
}

function readValue(wire: Wire, end: number, field: Field, depth: number, known?: unknown): unknown {
  const { type } = field
  if (typeof type === 'string') {
    expect(wire, wireTypeOf[type], field)
    return readScalar(wire, end, type)
  }
  expect(wire, wireTypes.delimited, field)
  // What is there already is added to.
  const into = known !== undefined && !type.toJson ? (known as Fields) : {}
  const fields = readFields(wire, wire.until(end), type, into, depth + 1)
  return type.toJson ? type.toJson(fields) : fields
}

const wireTypeOf: Readonly<Record<Scalar, number>> = {
  bool: wireTypes.varint,
  bytes: wireTypes.delimited,
  double: wireTypes.fixed64,
  int32: wireTypes.varint,
  int64: wireTypes.varint,
  json: wireTypes.delimited,
  string: wireTypes.delimited,
}

function readScalar(wire: Wire, end: number, type: Scalar): unknown {
  switch (type) {
    case 'string':
      return wire.text(end)
    case 'bool':
      return wire.bool(end)
    case 'int32':
      return wire.int32(end)
    case 'int64':
      return wire.int64(end)
    case 'double':
      return wire.double(end)
    case 'bytes':
      return wire.bytes(end).toString('base64')
    case 'json': {
      const bytes = wire.bytes(end)
      return bytes.length === 0 ? undefined : readJson(bytes).value
    }
  }
}

function expect({ wireType }: Wire, wanted: number, { name }: Field): void {
  if (wireType !== wanted) throw new Unreadable(`proto: wrong wireType = ${wireType} for field ${goName(name)}`)
}

const goName = (name: string): string =>
  name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1)
