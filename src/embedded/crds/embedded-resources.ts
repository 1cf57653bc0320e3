import type { Path, Schema } from '../../core/schema/schema.ts'
import { isObject, pathText } from '../../core/schema/schema.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue, required } from '../kinds/field-errors.ts'
import { checkLabels } from '../kinds/label-selector.ts'
import { checkAnnotations } from '../kinds/metadata.ts'
import { dns1035LabelFlaws } from '../kinds/names.ts'

type Fields = Record<string, unknown>

/** Calls `meet` for every object that is embedded in a value, the value itself included if its schema says so. */
export function visitEmbedded(
  schema: Schema,
  value: unknown,
  meet: (object: Fields, path: Path) => void,
  path: Path = [],
) {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items || !hasEmbedded(items)) return
    for (const [index, item] of value.entries()) visitEmbedded(items, item, meet, [...path, index])
    return
  }
  if (!isObject(value) || !hasEmbedded(schema)) return
  if (schema['x-kubernetes-embedded-resource']) meet(value, path)
  const { properties = {}, additionalProperties } = schema
  for (const name of Object.keys(value)) {
    const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (isObject(declared)) visitEmbedded(declared, value[name], meet, [...path, name])
  }
}

const known = new WeakMap<Schema, boolean>()

/** Whether there may be such an object anywhere below. Most schemas have none. */
function hasEmbedded(schema: Schema): boolean {
  const before = known.get(schema)
  if (before !== undefined) return before
  const { properties = {}, items, additionalProperties } = schema
  const parts = [...Object.values(properties), items, additionalProperties]
  const found =
    schema['x-kubernetes-embedded-resource'] === true ||
    parts.some((part) => isObject(part) && hasEmbedded(part as Schema))
  known.set(schema, found)
  return found
}

/**
 * What makes an embedded object one: its kind, and metadata that any object could have. Where `place` names what the
 * value is found in, the value itself may be such an object; else it is a whole one, which is checked elsewhere.
 */
export function checkEmbeddedResources(schema: Schema, value: unknown, place = ''): FieldError[] {
  const errors: FieldError[] = []
  visitEmbedded(schema, value, (object, path) => {
    if (path.length === 0 && place === '') return
    const inside = pathText(path)
    errors.push(...checkEmbedded(object, [place, inside].filter(Boolean).join('.')))
  })
  return errors
}

function checkEmbedded({ apiVersion, kind, metadata }: Fields, field: string): FieldError[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  const errors: FieldError[] = []
  if (apiVersion === undefined) errors.push(required(at('apiVersion')))
  if (kind === undefined) errors.push(required(at('kind')))
  if (kind === '') errors.push(invalidValue(at('kind'), kind, 'must not be empty'))
  else if (typeof kind === 'string')
    for (const flaw of dns1035LabelFlaws(kind.toLowerCase()))
      errors.push(invalidValue(at('kind'), kind, `may have mixed case, but should otherwise match: ${flaw}`))
  if (apiVersion === '') errors.push(invalidValue(at('apiVersion'), apiVersion, 'must not be empty'))
  else if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
    errors.push(invalidValue(at('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
  if (!isObject(metadata)) return errors
  const { labels, annotations } = metadata
  if (isObject(labels)) errors.push(...checkLabels(labels as Record<string, string>, at('metadata.labels')))
  if (isObject(annotations))
    errors.push(...checkAnnotations(annotations as Record<string, string>, at('metadata.annotations')))
  return errors
}
