import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { fieldElement } from './elements.ts'
import type { FieldSet } from './fields.ts'
import { isEmpty } from './fields.ts'
import { fieldSchema, itemElement, shapeOf } from './typed.ts'

/** The value without the fields of the set. What is emptied by that is null, as Kubernetes leaves it. */
export function remove(schema: Schema | undefined, value: unknown, fields: FieldSet): unknown {
  const shape = shapeOf(schema, value)
  if (shape === 'map' && isObject(value)) {
    const rest = Object.entries(value).flatMap(([name, child]) => {
      const kept = removeFrom(fieldSchema(schema, name), child, fields.children.get(fieldElement(name)))
      return kept === undefined ? [] : [[name, kept] as const]
    })
    return rest.length > 0 ? Object.fromEntries(rest) : null
  }
  if (shape === 'items' && Array.isArray(value)) {
    const rest = value.flatMap((item) => {
      const kept = removeFrom(schema?.items, item, fields.children.get(itemElement(schema, item)))
      return kept === undefined ? [] : [kept]
    })
    return rest.length > 0 ? rest : null
  }
  return isObject(value) || Array.isArray(value) ? null : value
}

function removeFrom(schema: Schema | undefined, value: unknown, fields: FieldSet | undefined): unknown {
  if (!fields || isEmpty(fields)) return value
  return fields.member ? undefined : remove(schema, value, fields)
}
