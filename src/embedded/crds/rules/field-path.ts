import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

/** `.spec['a.b']` from where a rule stands, as errors name places: `spec.a.b`. Undefined if it leads to no field. */
export function ruleFieldPath(path: string, schema: Schema): string | undefined {
  const tokens = tokensOf(path)
  let found = ''
  let place: Schema | undefined = schema
  for (let at = 0; at < tokens.length; ) {
    const isQuoted: boolean = tokens[at] === '['
    if (!isQuoted && tokens[at] !== '.') return undefined
    const name = isQuoted ? unquoted(tokens[at + 1]) : tokens[at + 1]
    if (name === undefined || (isQuoted && tokens[at + 2] !== ']')) return undefined
    const isField: boolean = place?.properties !== undefined
    place = isField ? ownField(place, name) : valuesOf(place)
    if (place === undefined) return undefined
    found = isField ? (found === '' ? name : `${found}.${name}`) : `${found}[${name}]`
    at += isQuoted ? 3 : 2
  }
  return found
}

const ownField = (schema: Schema | undefined, name: string): Schema | undefined =>
  Object.hasOwn(schema?.properties ?? {}, name) ? schema?.properties?.[name] : undefined

const valuesOf = (schema: Schema | undefined): Schema | undefined =>
  isObject(schema?.additionalProperties) ? (schema.additionalProperties as Schema) : undefined

/** The signs `.`, `[` and `]`, what is quoted, and what is between them. */
const tokensOf = (path: string): string[] =>
  path.match(/'(?:[^']|(?<=\\)')*(?:'|$)|[.[\]]|[^.[\]']?[^.[\]]*/g)?.filter(Boolean) ?? []

function unquoted(token: string | undefined): string | undefined {
  if (token === undefined || token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined
  let isGood = true
  const text = token.slice(1, -1).replaceAll(/\\./gs, ([, letter = '']) => {
    const meant = escapes[letter]
    if (meant === undefined) isGood = false
    return meant ?? ''
  })
  return isGood ? text : undefined
}
