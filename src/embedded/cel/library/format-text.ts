import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { goQuote } from '../../go-quote.ts'
import { durationText, timestampText } from './instants.ts'
import { doubleText, fixedText, parseDouble } from './numbers.ts'

const defaultPrecision = 6

/** What an argument is called when it is not of a type that a clause is for. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'null_type'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'double'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (value instanceof UnsignedInt) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Date) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Map) return 'map'
  return (value as { typeName?: string }).typeName ?? 'type'
}

/** The verbs that there are, what they take, and the words for what they do not. */
export const clauses: Readonly<Record<string, { readonly takes: readonly string[]; readonly refusal: string }>> = {
  s: {
    takes: [
      ...['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'bytes', 'type', 'null_type', 'null'],
      'google.protobuf.Timestamp',
      'google.protobuf.Duration',
    ],
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  },
  d: { takes: ['int', 'uint'], refusal: 'decimal clause can only be used on integers, was given' },
  f: { takes: ['double', 'string'], refusal: 'fixed-point clause can only be used on doubles, was given' },
  e: { takes: ['double', 'string'], refusal: 'scientific clause can only be used on doubles, was given' },
  b: { takes: ['int', 'uint', 'bool'], refusal: 'only integers and bools can be formatted as binary, was given' },
  x: {
    takes: ['int', 'uint', 'string', 'bytes'],
    refusal: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  },
  o: { takes: ['int', 'uint'], refusal: 'octal clause can only be used on integers, was given' },
}

export interface Clause {
  readonly verb: string
  readonly isUpper: boolean
  readonly precision: number | undefined
}

/** Texts and the clauses between them. Throws an Error for what is no format. */
export function parseFormat(format: string): (string | Clause)[] {
  const found: (string | Clause)[] = []
  for (let rest = format; rest !== ''; ) {
    const text = /^(?:[^%]|%%)+/.exec(rest)?.[0] ?? ''
    if (text !== '') found.push(text.replaceAll('%%', '%'))
    rest = rest.slice(text.length)
    if (rest === '') break
    const [whole, dot, digits, verb] = /^%(?:(\.)(\d*))?(.?)/su.exec(rest) as unknown as [
      string,
      string?,
      string?,
      string?,
    ]
    found.push(clauseOf(verb ?? '', dot === undefined ? undefined : (digits ?? '')))
    rest = rest.slice(whole.length)
  }
  return found
}

const unparsed = 'could not parse formatting clause: '

function clauseOf(verb: string, precision: string | undefined): Clause {
  if (verb === '' && precision === undefined) throw new Error('unexpected end of string')
  const badPrecision = `${unparsed}error while parsing precision: `
  if (verb === '') throw new Error(`${badPrecision}could not find end of precision specifier`)
  if (precision === '')
    throw new Error(
      `${badPrecision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
    )
  const lower = verb === 'X' ? 'x' : verb
  if (!Object.hasOwn(clauses, lower)) throw new Error(`${unparsed}unrecognized formatting clause "${verb}"`)
  return { verb: lower, isUpper: verb === 'X', precision: precision === undefined ? undefined : Number(precision) }
}

/** `'%s is %d'.format(['a', 1])`. */
export function formatText(format: string, values: readonly unknown[]): string {
  let index = 0
  return parseFormat(format)
    .map((part) => {
      if (typeof part === 'string') return part
      if (index >= values.length) throw new Error(`index ${index} out of range`)
      return formatted(part, values[index++])
    })
    .join('')
}

function formatted(clause: Clause, value: unknown): string {
  const { takes, refusal } = clauses[clause.verb] as (typeof clauses)[string]
  const type = typeNameOf(value)
  const isNamedNumber = /^(?:NaN|-?Infinity)$/.test(String(value))
  const isGood = takes.includes(type) && (type !== 'string' || !'fe'.includes(clause.verb) || isNamedNumber)
  if (!isGood) throw new Error(`error during formatting: ${refusal} ${type}`)
  return write(clause, value)
}

function write({ verb, isUpper, precision = defaultPrecision }: Clause, value: unknown): string {
  if (verb === 's') return stringOf(value)
  if (verb === 'd') return String(value)
  if (verb === 'f') return fixed(doubleOf(value), Math.min(precision, mostDigits))
  if (verb === 'e') return scientific(doubleOf(value), Math.min(precision, mostDigits))
  if (verb === 'b') return typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2)
  if (verb === 'o') return inBase(value, 8)
  const hex =
    typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value).toString('hex') : inBase(value, 16)
  return isUpper ? hex.toUpperCase() : hex
}

/** More than a double has, and what JavaScript can write. */
const mostDigits = 100

const inBase = (value: unknown, base: number): string => (value as bigint | UnsignedInt).valueOf().toString(base)

const doubleOf = (value: unknown): number =>
  typeof value === 'string' ? (parseDouble(value) as number) : (value as number)

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞'

const fixed = (value: number, digits: number): string =>
  special(value) ?? fixedText(value + 0, digits).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** As in print: `1.500000×10³`. Where other verbs have a precision, this one has a width: so it is in Kubernetes. */
function scientific(value: number, width: number): string {
  return (special(value) ?? printed(value)).padStart(width)
}

function printed(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(defaultPrecision).split('e')
  const power = exponent.replace(/^[+-]/, '').padStart(2, '0')
  const raised = [...power].map((digit) => superscripts[Number(digit)]).join('')
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

function stringOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(nested).join(', ')}]`
  if (value instanceof Map) return mapText(value)
  if (value === null) return 'null'
  if (typeof value === 'number') return doubleText(value)
  if (value instanceof Date) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  return isType(value) ? value.name : String(value)
}

/** What `type(1)` gives. */
const isType = (value: unknown): value is { readonly name: string } => typeNameOf(value) === 'type'

const mapText = (map: ReadonlyMap<unknown, unknown>): string =>
  `{${[...map]
    .map(([key, value]) => [nested(key), nested(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join(':'))
    .join(', ')}}`

/** As an expression would have it. */
function nested(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`
  if (value instanceof Date) return `timestamp(${goQuote(timestampText(value))})`
  if (value instanceof Duration) return `duration(${goQuote(durationText(value))})`
  if (typeof value !== 'number') return stringOf(value)
  return Number.isFinite(value) ? value.toFixed(defaultPrecision) : goQuote(doubleText(value))
}
