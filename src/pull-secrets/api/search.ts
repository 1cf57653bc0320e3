/** The part of TSL that lists take: conditions joined by `and`. Text in, conditions out; SQL is made elsewhere, with parameters only. */
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'like'

export interface Condition {
  field: string
  operator: Operator
  values: readonly (string | number)[]
}

export interface SearchField {
  type: 'text' | 'integer' | 'time' | 'uuid'
  /** Whether `like 'prefix%'` is taken: there is an index for it. */
  hasPrefix?: boolean
}

/** Says what is wrong and with which field; a search that cannot be read at all is the field `search`. */
export class SearchMistake extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

const mostConditions = 10
const mostValues = 50

type Token = { kind: 'word' | 'text' | 'number' | 'sign'; text: string }

const token =
  /\s*(?:([A-Za-z_][A-Za-z0-9_.]*)|'((?:[^']|'')*)'|(-?\d{1,15})(?![\w.])|(<=|>=|!=|<>|=|<|>|\(|\)|\[|\]|,))/y

function tokensOf(search: string): Token[] {
  const found: Token[] = []
  token.lastIndex = 0
  const end = search.trimEnd().length
  while (token.lastIndex < end) {
    const at = token.lastIndex
    const match = token.exec(search)
    if (!match) throw new SearchMistake('search', `cannot be read from character ${at + 1} on`)
    const [, word, text, number, sign] = match
    if (word !== undefined) found.push({ kind: 'word', text: word })
    else if (text !== undefined) found.push({ kind: 'text', text: text.replaceAll("''", "'") })
    else if (number !== undefined) found.push({ kind: 'number', text: number })
    else found.push({ kind: 'sign', text: sign === '<>' ? '!=' : (sign as string) })
  }
  return found
}

export function parseSearch(search: string, fields: Readonly<Record<string, SearchField>>): Condition[] {
  const tokens = tokensOf(search)
  if (tokens.length === 0) return []
  let at = 0
  const next = (): Token => {
    const one = tokens[at]
    if (!one) throw new SearchMistake('search', 'ends too early')
    at += 1
    return one
  }
  const conditions: Condition[] = []
  for (;;) {
    conditions.push(conditionFrom(next, fields))
    if (conditions.length > mostConditions)
      throw new SearchMistake('search', `has more than ${mostConditions} conditions`)
    if (at === tokens.length) return conditions
    if (next().text.toLowerCase() !== 'and') throw new SearchMistake('search', 'joins conditions by `and` only')
  }
}

function conditionFrom(next: () => Token, fields: Readonly<Record<string, SearchField>>): Condition {
  const { kind, text: field } = next()
  const known = kind === 'word' && Object.hasOwn(fields, field) ? fields[field] : undefined
  if (!known) throw new SearchMistake('search', `knows ${Object.keys(fields).join(', ')}, and not ${clipped(field)}`)
  const operator = next().text.toLowerCase()
  if (operator === 'in') return { field, operator, values: listFrom(next, field, known) }
  if (operator === 'like') return { field, operator, values: [prefixFrom(next(), field, known)] }
  if (!isComparison(operator))
    throw new SearchMistake(field, `takes =, !=, <, <=, >, >=, in and like, and not ${clipped(operator)}`)
  return { field, operator, values: [valueFrom(next(), field, known)] }
}

const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const
const isComparison = (text: string): text is (typeof comparisons)[number] =>
  (comparisons as readonly string[]).includes(text)

function listFrom(next: () => Token, field: string, known: SearchField): (string | number)[] {
  const open = next().text
  const close = open === '(' ? ')' : open === '[' ? ']' : undefined
  if (close === undefined) throw new SearchMistake(field, 'needs a list after `in`: (…)')
  const values: (string | number)[] = []
  for (;;) {
    values.push(valueFrom(next(), field, known))
    if (values.length > mostValues) throw new SearchMistake(field, `takes at most ${mostValues} values`)
    const sign = next().text
    if (sign === close) return values
    if (sign !== ',') throw new SearchMistake(field, 'needs commas between its values')
  }
}

/** A prefix and nothing else: what begins with a wildcard would read the whole table. `_` is itself, as it is in most names. */
function prefixFrom({ kind, text }: Token, field: string, { hasPrefix }: SearchField): string {
  if (!hasPrefix) throw new SearchMistake(field, 'does not take `like`')
  if (kind !== 'text' || !/^[^%\\\0]+%$/.test(text))
    throw new SearchMistake(field, "takes `like` with a prefix and one % at its end: 'abc%'")
  return text.replaceAll('_', '\\_')
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const moment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d))?$/

export const isUuid = (text: string): boolean => uuid.test(text)
export const isMoment = (text: string): boolean => moment.test(text) && !Number.isNaN(Date.parse(text))

function valueFrom({ kind, text }: Token, field: string, { type }: SearchField): string | number {
  if (type === 'integer') {
    if (kind !== 'number' || Math.abs(Number(text)) > 2_147_483_647)
      throw new SearchMistake(field, 'must be compared with a whole number')
    return Number(text)
  }
  if (kind !== 'text') throw new SearchMistake(field, "must be compared with a text in quotes: 'abc'")
  if (text.includes('\0')) throw new SearchMistake(field, 'must not be compared with a zero byte')
  if (type === 'uuid' && !isUuid(text)) throw new SearchMistake(field, 'must be compared with a UUID')
  if (type === 'time' && !isMoment(text)) throw new SearchMistake(field, 'must be compared with a time of RFC 3339')
  return text
}

const clipped = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)
