import { isObject } from '../../core/schema/schema.ts'
import { goQuote } from '../go-quote.ts'

/** A value as messages of the real server show it in passing: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`
}

/** The same where they show it as a literal: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return typeof value === 'string' ? goQuote(value) : String(value)
  const members = Object.keys(value).sort()
  return `map[string]interface {}{${members.map((name) => `${goQuote(name)}:${goSyntax(value[name])}`).join(', ')}}`
}
