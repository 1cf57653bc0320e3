import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { fieldElement, keyElement, valueElement } from './elements.ts'
import type { FieldSet } from './fields.ts'
import { leaf } from './fields.ts'

/** What server-side apply sees in a value: something owned as one, fields by name, or items by key or value. */
export type Shape = 'leaf' | 'map' | 'items'

/** Without a schema, objects are open and lists are one. */
export function shapeOf(schema: Schema | undefined, value: unknown): Shape {
  if (Array.isArray(value)) return isAssociative(schema) ? 'items' : 'leaf'
  if (isObject(value)) return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map'
  return 'leaf'
}

function isAssociative(schema: Schema | undefined): boolean {
  const type = schema?.['x-kubernetes-list-type']
  return type === 'map' || type === 'set'
}

/** A field that the schema names, as opposed to an entry of a map. */
export const isNamed = (schema: Schema | undefined, name: string): boolean =>
  schema?.properties !== undefined && Object.hasOwn(schema.properties, name)

export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (isNamed(schema, name)) return schema?.properties?.[name]
  const { additionalProperties } = schema ?? {}
  return isObject(additionalProperties) ? (additionalProperties as Schema) : undefined
}

export function childSchema(schema: Schema | undefined, element: string): Schema | undefined {
  return element.startsWith('f:') ? fieldSchema(schema, element.slice(2)) : schema?.items
}

/** The element of a path that leads to an item. Throws an Unkeyed when it has none of its keys. */
export function itemElement(schema: Schema | undefined, item: unknown): string {
  if (schema?.['x-kubernetes-list-type'] !== 'map') {
    if (item !== null) return valueElement(item)
    throw new Unkeyed("associative list without keys has an element that's an explicit null")
  }
  if (item === null) throw new Unkeyed('associative list with keys may not have a null element')
  if (!isObject(item)) throw new Unkeyed('associative list with keys may not have non-map elements')
  const names = schema['x-kubernetes-list-map-keys'] ?? []
  const keys: Record<string, unknown> = {}
  for (const name of names) {
    const key = item[name] ?? schema.items?.properties?.[name]?.default
    if (key !== undefined) keys[name] = key
  }
  if (Object.keys(keys).length > 0) return keyElement(keys)
  throw new Unkeyed(
    `associative list with keys has an element that omits all key fields [${names.map((name) => JSON.stringify(name)).join(' ')}] (and doesn't have default values for any key fields)`,
  )
}

/** An item of a list by keys that has no key. */
export class Unkeyed extends Error {}

/** The items of a list, those with the same element together. */
export function itemsOf(schema: Schema | undefined, list: unknown): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>()
  if (!Array.isArray(list)) return items
  for (const item of list) {
    const element = itemElement(schema, item)
    const same = items.get(element)
    if (same) same.push(item)
    else items.set(element, [item])
  }
  return items
}

/** The fields that a value sets, as whoever applies it owns them. */
export function fieldsOf(schema: Schema | undefined, value: unknown): FieldSet {
  switch (shapeOf(schema, value)) {
    case 'leaf':
      return leaf
    case 'map':
      return fieldsOfMap(schema, value as Record<string, unknown>)
    case 'items':
      return fieldsOfItems(schema, value)
  }
}

function fieldsOfMap(schema: Schema | undefined, value: Record<string, unknown>): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const name in value) {
    const child = value[name]
    if (child === undefined) continue
    const fields = fieldsOf(fieldSchema(schema, name), child)
    if (!isNamed(schema, name) || isEmptyMap(child)) children.set(fieldElement(name), asMember(fields))
    else if (fields.member || fields.children.size > 0) children.set(fieldElement(name), fields)
  }
  return { member: false, children }
}

function fieldsOfItems(schema: Schema | undefined, list: unknown): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, [item, ...more]] of itemsOf(schema, list))
    children.set(element, more.length > 0 ? leaf : asMember(fieldsOf(schema?.items, item)))
  return { member: false, children }
}

const asMember = (set: FieldSet): FieldSet =>
  set.member ? set : set.children.size === 0 ? leaf : { member: true, children: set.children }

export function isEmptyMap(value: unknown): boolean {
  if (!isObject(value)) return false
  for (const name in value) if (value[name] !== undefined) return false
  return true
}

/** With the parents of what is in the set, as far as the schema names them. */
export function withNamedParents(schema: Schema | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const below = withNamedParents(childSchema(schema, element), child)
    const isParent = below.children.size > 0 && element.startsWith('f:') && isNamed(schema, element.slice(2))
    children.set(element, isParent ? asMember(below) : below)
  }
  return { member: set.member, children }
}
