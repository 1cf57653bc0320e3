import type { Schema } from './schema.ts'
import { isObject } from './schema.ts'

/**
 * `value` with defaults filled in as the API server does it: parents before children, so that a default of `{}` is
 * filled in turn; nothing is made up for a parent that is absent and has no default; null counts as absent where there
 * is a default and null is not allowed. The same value comes back when nothing is missing.
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
          value.map((item) => filled(items, present(items, item))),
        )
      : value
  }
  return isObject(value) ? filledObject(schema, value) : value
}

const changed = (before: unknown[], after: unknown[]): unknown[] =>
  after.some((item, index) => !Object.is(item, before[index])) ? after : before

/** The value, or the default where null is given and not allowed. */
const present = (schema: Schema, value: unknown): unknown =>
  value === null && schema.default !== undefined && !schema.nullable ? structuredClone(schema.default) : value

function filledObject(schema: Schema, value: Record<string, unknown>): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema
  const fields: Record<string, unknown> = {}
  for (const [name, declared] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    const start = given === undefined ? structuredClone(declared.default) : present(declared, given)
    const end = start === undefined ? undefined : filled(declared, start)
    if (!Object.is(end, given)) fields[name] = end
  }
  if (isObject(additionalProperties))
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue
      const end = filled(additionalProperties, present(additionalProperties, field))
      if (!Object.is(end, field)) fields[name] = end
    }
  return Object.keys(fields).length === 0 ? value : { ...value, ...fields }
}
