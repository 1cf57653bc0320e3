import { isObject } from '../../core/schema/schema.ts'
import { canonicalElement, compareElements } from './elements.ts'
import type { FieldSet } from './fields.ts'
import { leaf, noFields, union } from './fields.ts'

/** A set of fields as `managedFields` holds it: `{"f:data":{".":{},"f:a":{}}}`. */
export type FieldsV1 = { readonly [element: string]: FieldsV1 }

/** In the order in which Kubernetes writes it. */
export function printFields(set: FieldSet): FieldsV1 {
  const printed: Record<string, FieldsV1> = {}
  for (const element of [...set.children.keys()].sort(compareElements)) {
    const child = set.children.get(element) ?? noFields
    printed[element] = child.member && child.children.size > 0 ? { '.': {}, ...printFields(child) } : printFields(child)
  }
  return printed
}

/** Reads what a client wrote. Elements of kinds that are not known are left out; throws a SyntaxError for nonsense. */
export function parseFields(json: unknown): FieldSet {
  if (!isObject(json)) throw new SyntaxError('not an object')
  return { member: false, children: parseChildren(json) }
}

function parseChildren(json: Record<string, unknown>): Map<string, FieldSet> {
  const children = new Map<string, FieldSet>()
  for (const [text, value] of Object.entries(json)) {
    if (text === '.') continue
    const element = canonicalElement(text)
    if (!isObject(value)) throw new SyntaxError(`not an object at ${text}`)
    if (element === undefined) continue
    const child = { member: isMember(value), children: parseChildren(value) }
    children.set(element, union(children.get(element) ?? noFields, child))
  }
  return children
}

/** Reads what `printFields` wrote, without a second look. */
export const readFields = (json: FieldsV1): FieldSet => ({ member: false, children: readChildren(json) })

function readChildren(json: FieldsV1): Map<string, FieldSet> {
  const children = new Map<string, FieldSet>()
  for (const element in json) {
    const value = json[element]
    if (value === undefined || element === '.') continue
    const below = readChildren(value)
    children.set(element, below.size === 0 ? leaf : { member: '.' in value, children: below })
  }
  return children
}

const isMember = (value: Record<string, unknown>): boolean => '.' in value || Object.keys(value).length === 0
