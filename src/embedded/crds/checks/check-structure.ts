import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField, invalidValue, required } from '../../kinds/field-errors.ts'
import { mustBeOfType } from './check-keywords.ts'
import type { Node } from './schema-walk.ts'

/** What makes a schema structural: everything has a type, and what is nested only adds checks. */
export function checkStructure(node: Node): FieldError[] {
  const { schema, field, role } = node
  if (role === 'nested') return checkNested(schema, field)
  const errors = checkType(node)
  if (schema.type === 'array' && !schema.items) errors.push(required(`${field}.items`, 'must be specified'))
  if (schema['x-kubernetes-embedded-resource']) errors.push(...checkEmbedded(schema, field))
  if (role === 'root') errors.push(...checkRoot(schema, field))
  if (role === 'root' || schema['x-kubernetes-embedded-resource']) errors.push(...checkObjectFields(schema, field))
  return errors
}

function checkType({ schema, field, role }: Node): FieldError[] {
  const { type } = schema
  if (role === 'root') {
    if (!type) return [required(`${field}.type`, 'must not be empty at the root')]
    return type === 'object' ? [] : [invalidValue(`${field}.type`, type, 'must be object at the root')]
  }
  if (type || schema['x-kubernetes-int-or-string']) return []
  if (schema['x-kubernetes-embedded-resource']) return []
  if (schema['x-kubernetes-preserve-unknown-fields'] !== undefined) return []
  const what = role === 'items' ? 'array items' : 'object fields'
  return (schema as { $ref?: string }).$ref
    ? []
    : [required(`${field}.type`, `must not be empty for specified ${what}`)]
}

function checkEmbedded(schema: Schema, field: string): FieldError[] {
  const errors = mustBeOfType(schema, 'object', 'x-kubernetes-embedded-resource is true', field)
  if (schema.additionalProperties !== undefined)
    errors.push(
      forbiddenField(`${field}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    )
  if (!schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(
      required(
        `${field}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  return errors
}

/** The fields that every object has must be of their types. */
function checkObjectFields({ properties = {} }: Schema, field: string): FieldError[] {
  const types = { apiVersion: 'string', kind: 'string', metadata: 'object' }
  return Object.entries(types).flatMap(([name, type]) => {
    const given = properties[name]?.type
    return properties[name] && given !== type
      ? [invalidValue(`${field}.properties[${name}].type`, given ?? '', `must be ${type}`)]
      : []
  })
}

function checkRoot(schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.additionalProperties !== undefined)
    errors.push(forbiddenField(`${field}.additionalProperties`, 'must not be used at the root'))
  const metadata = schema.properties?.['metadata']
  const place = `${field}.properties[metadata]`
  if (!metadata) return errors
  const { type, description, properties = {}, default: given, ...rest } = metadata
  const others = Object.keys(properties).filter((name) => name !== 'name' && name !== 'generateName')
  if (others.length > 0 || Object.keys(rest).length > 0)
    errors.push(
      forbiddenField(
        place,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
  if (given !== undefined) errors.push(forbiddenField(`${place}.default`, 'must not be set in top-level metadata'))
  for (const [name, declared] of Object.entries(properties))
    if (declared.default !== undefined)
      errors.push(forbiddenField(`${place}.properties[${name}].default`, 'must not be set in top-level metadata'))
  return errors
}

const forbiddenInNested: readonly [keyword: string, why: string][] = [
  ['description', 'must be empty to be structural'],
  ['type', 'must be empty to be structural'],
  ['title', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['nullable', 'must be false to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function checkNested(schema: Schema, field: string): FieldError[] {
  const of = schema as Record<string, unknown>
  return forbiddenInNested
    .filter(([keyword]) => of[keyword] !== undefined && of[keyword] !== false && of[keyword] !== '')
    .map(([keyword, why]) => forbiddenField(`${field}.${keyword}`, why))
}

const union = JSON.stringify([{ type: 'integer' }, { type: 'string' }])

/** Where a schema repeats in words what `x-kubernetes-int-or-string` says: the one union of types that may be nested. */
export function intOrStringUnion({ schema, field }: Node): string[] {
  const [first] = schema.allOf ?? []
  if (JSON.stringify(schema.anyOf) === union) return [`${field}.anyOf[0].type`, `${field}.anyOf[1].type`]
  return first && Object.keys(first).length === 1 && JSON.stringify(first.anyOf) === union
    ? [`${field}.allOf[0].anyOf[0].type`, `${field}.allOf[0].anyOf[1].type`]
    : []
}

/** What is nested at the root must be declared outside, at the same depth. */
export function checkCompleteness(root: Schema, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const { schema: nested, field: at } of nestedIn(root, field))
    errors.push(...missing(nested, root, at, field, at === `${field}.not` || at.length > field.length))
  return errors
}

function nestedIn(schema: Schema, field: string): { schema: Schema; field: string }[] {
  const found: { schema: Schema; field: string }[] = []
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [index, part] of (schema[word] ?? []).entries())
      found.push({ schema: part, field: `${field}.${word}[${index}]` })
  if (schema.not) found.push({ schema: schema.not, field: `${field}.not` })
  return found
}

function missing(nested: Schema, declared: Schema, at: string, field: string, isTop: boolean): FieldError[] {
  const errors: FieldError[] = []
  const lacks = (place: string, by: string) => errors.push(required(place, `because it is defined in ${by}`))
  for (const [name, part] of Object.entries(nested.properties ?? {})) {
    const [place, by] = [`${field}.properties[${name}]`, `${at}.properties[${name}]`]
    if (isTop && name === 'metadata' && field.endsWith('openAPIV3Schema'))
      errors.push(forbiddenField(by, 'must not be specified in a nested context'))
    const counterpart = Object.hasOwn(declared.properties ?? {}, name) ? declared.properties?.[name] : undefined
    if (!counterpart) lacks(place, by)
    else errors.push(...missing(part, counterpart, by, place, false))
  }
  if (nested.items) {
    if (!isObject(declared.items)) lacks(`${field}.items`, `${at}.items`)
    else errors.push(...missing(nested.items, declared.items, `${at}.items`, `${field}.items`, false))
  }
  for (const part of nestedIn(nested, at)) errors.push(...missing(part.schema, declared, part.field, field, isTop))
  return errors
}
