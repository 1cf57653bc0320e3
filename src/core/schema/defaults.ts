import type { Schema } from './schema.ts'
import { isObject } from './schema.ts'

/**
 * `value` with defaults filled in as the API server does it: parents before children, so that a default of `{}` is
 * filled in turn; nothing is made up for a parent that is absent and has no default; null counts as absent where the
 * field has a default and does not allow null. The same value comes back when nothing is missing.
 */
export function withDefaults<T>(schema: Schema, value: T): T {
  return filled(schema, value) as T
}

function filled(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    return items
      ? changed(
          value,
          value.map((item) => filled(items, item)),
        )
      : value
  }
  return isObject(value) ? filledObject(schema, value) : value
}

const changed = (before: unknown[], after: unknown[]): unknown[] =>
  after.some((item, index) => item !== before[index]) ? after : before

function filledObject(schema: Schema, value: Record<string, unknown>): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema
  const fields: Record<string, unknown> = {}
  for (const [name, declared] of Object.entries(properties)) {
    const present =
      value[name] !== undefined && !(value[name] === null && declared.default !== undefined && !declared.nullable)
    const start = present ? value[name] : structuredClone(declared.default)
    const end = start === undefined ? undefined : filled(declared, start)
    if (end !== value[name]) fields[name] = end
  }
  if (isObject(additionalProperties))
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue
      const end = filled(additionalProperties, field)
      if (end !== field) fields[name] = end
    }
  return Object.keys(fields).length === 0 ? value : { ...value, ...fields }
}
