import { patternOf } from '../../../core/schema/check.ts'
import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../kinds/field-errors.ts'
import type { Node } from './schema-walk.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const refused = ['$ref', 'id', 'patternProperties', 'definitions', 'dependencies', 'additionalItems']

/** What a single schema may say, wherever it stands. */
export function checkKeywords({ schema, field }: Node): FieldError[] {
  const of = schema as Record<string, unknown>
  const errors = refused
    .filter((word) => of[word] !== undefined)
    .map((word) => forbiddenField(`${field}.${word}`, `${word} is not supported`))
  if (schema.uniqueItems)
    errors.push(
      forbiddenField(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  const { additionalProperties, properties = {} } = schema
  if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0)
    errors.push(
      forbiddenField(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    )
  if (Array.isArray(schema.items))
    errors.push(forbiddenField(`${field}.items`, 'items must be a schema object and not an array'))
  if (schema.type && !types.includes(schema.type)) errors.push(notSupported(`${field}.type`, schema.type, types))
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  return [...errors, ...checkPattern(schema, field), ...checkListType(schema, field), ...checkMapType(schema, field)]
}

function checkPattern({ pattern }: Schema, field: string): FieldError[] {
  if (!pattern) return []
  try {
    patternOf(pattern)
    return []
  } catch (error) {
    const why = `must be a valid regular expression, but isn't: ${(error as Error).message}`
    return [invalidValue(`${field}.pattern`, pattern, why)]
  }
}

function checkListType(schema: Schema, field: string): FieldError[] {
  const { items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema
  const errors: FieldError[] = []
  if (listType !== undefined) {
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']))
    errors.push(...mustBeOfType(schema, 'array', 'x-kubernetes-list-type is specified', field))
  }
  if (keys.length > 0 && listType !== 'map')
    errors.push(
      listType === undefined
        ? required(`${field}.x-kubernetes-list-type`, 'must be map if x-kubernetes-list-map-keys is non-empty')
        : invalidValue(
            `${field}.x-kubernetes-list-type`,
            listType,
            'must be map if x-kubernetes-list-map-keys is non-empty',
          ),
    )
  if (listType === 'set' && isObject(items)) errors.push(...checkSetItems(items, `${field}.items`))
  if (listType === 'map') errors.push(...checkListMap(schema, field))
  return errors
}

function checkSetItems(items: Schema, field: string): FieldError[] {
  const errors: FieldError[] = []
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  if (items.nullable)
    errors.push(forbiddenField(`${field}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set'))
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    errors.push(invalidValue(`${field}.x-kubernetes-list-type`, listType, why))
  if (items.type === 'object' && mapType !== 'atomic')
    errors.push(invalidValue(`${field}.x-kubernetes-map-type`, mapType ?? null, why))
  return errors
}

function checkListMap(schema: Schema, field: string): FieldError[] {
  const { items, 'x-kubernetes-list-map-keys': keys = [] } = schema
  const errors: FieldError[] = []
  const place = `${field}.x-kubernetes-list-map-keys`
  if (keys.length === 0) errors.push(required(place, 'must not be empty if x-kubernetes-list-type is map'))
  if (!isObject(items)) return errors
  if (items.type !== 'object')
    errors.push(
      invalidValue(
        `${field}.items.type`,
        items.type ?? '',
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    )
  if (items.nullable)
    errors.push(forbiddenField(`${field}.items.nullable`, 'cannot be nullable when x-kubernetes-list-type is map'))
  if (new Set(keys).size < keys.length) errors.push(invalidValue(place, keys, 'must not contain duplicate entries'))
  for (const key of new Set(keys)) errors.push(...checkMapKey(items, key, keys, field))
  return errors
}

function checkMapKey(items: Schema, key: string, keys: readonly string[], field: string): FieldError[] {
  if (items.type !== 'object') return []
  const declared = items.properties?.[key]
  if (!declared)
    return [invalidValue(`${field}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties')]
  const place = `${field}.items.properties[${key}]`
  const errors: FieldError[] = []
  if (declared.type === 'object' || declared.type === 'array')
    errors.push(
      invalidValue(
        `${place}.type`,
        declared.type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    )
  const note = 'this property is in x-kubernetes-list-map-keys, so it'
  if (declared.default === undefined && !items.required?.includes(key))
    errors.push(required(`${place}.default`, `${note} must have a default or be a required property`))
  if (declared.nullable) errors.push(forbiddenField(`${place}.nullable`, `${note} cannot be nullable`))
  return errors
}

function checkMapType(schema: Schema, field: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type']
  if (mapType === undefined) return []
  const known = ['atomic', 'granular']
  return [
    ...(known.includes(mapType) ? [] : [notSupported(`${field}.x-kubernetes-map-type`, mapType, known)]),
    ...mustBeOfType(schema, 'object', 'x-kubernetes-map-type is specified', field),
  ]
}

export function mustBeOfType(schema: Schema, type: Schema['type'], when: string, field: string): FieldError[] {
  if (schema.type === type) return []
  const why = `must be ${type} if ${when}`
  return [schema.type ? invalidValue(`${field}.type`, schema.type, why) : required(`${field}.type`, why)]
}
