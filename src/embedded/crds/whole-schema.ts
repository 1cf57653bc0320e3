import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { objectMeta } from './decode-custom.ts'

const text: Schema = { type: 'string' }

/** With the fields that every object has, at the root and in embedded objects. For server-side apply and for reading. */
export const wholeSchema = (schema: Schema): Schema =>
  completed({ ...schema, 'x-kubernetes-embedded-resource': true }, true)

function completed(schema: Schema, isRoot = false): Schema {
  const { properties, items, additionalProperties } = schema
  const whole: Schema = { ...schema }
  if (properties)
    whole.properties = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, completed(part)]))
  if (items) whole.items = completed(items)
  if (isObject(additionalProperties)) whole.additionalProperties = completed(additionalProperties)
  if (!schema['x-kubernetes-embedded-resource']) return whole
  if (isRoot) delete whole['x-kubernetes-embedded-resource']
  const { apiVersion, kind } = properties ?? {}
  whole.properties = {
    apiVersion: { ...text, ...apiVersion },
    kind: { ...text, ...kind },
    ...whole.properties,
    metadata: objectMeta,
  }
  return whole
}
