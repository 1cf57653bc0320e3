import type { Schema } from '../../../core/schema/schema.ts'
import goTypes from './go-types.json' with { type: 'json' }
import file from './schemas.json' with { type: 'json' }
import zeroValues from './zero-values.json' with { type: 'json' }

/** A schema as it is written down: `$ref` holds the name of a definition. */
type Written = Schema & { $ref?: string }

const kinds: Readonly<Record<string, string>> = file.kinds
const definitions = file.definitions as unknown as Readonly<Record<string, Written>>

const writtenTypes: Readonly<Record<string, string>> = goTypes.types
const embeddedIn: Readonly<Record<string, string>> = goTypes.embedded

const omittedWhenZero: ReadonlySet<string> = new Set(zeroValues.fields)

const linked = new Set<string>()
const definitionNames = new WeakMap<Schema, string>()
const typeNames = new WeakMap<Schema, string>()

/**
 * The schema of a built-in kind. Definitions are shared objects, so a schema that refers to itself is a cycle.
 * Linked on first use; the same object every time.
 */
export function schemaOf(apiVersion: string, kind: string): Schema {
  const name = kinds[`${apiVersion}/${kind}`]
  if (name === undefined) throw new Error(`there is no schema of ${kind} in ${apiVersion}`)
  return definition(name)
}

/** The name under which OpenAPI defines a schema, `io.k8s.api.core.v1.Pod`. Undefined for what has no name. */
export const definitionOf = (schema: Schema): string | undefined => definitionNames.get(schema)

/** The Go type of a field, where that has a name which the schema does not tell: `v1.RestartPolicy`. */
export const typeNameOf = (schema: Schema): string | undefined => typeNames.get(schema)

/** The struct that Go has between a definition and a field of it. */
export const structBetween = (schema: Schema, field: string): string | undefined =>
  embeddedIn[`${definitionOf(schema)}.${field}`]

/** Whether Kubernetes leaves out an optional text, number or boolean that is empty, zero or false. */
export const isOmittedWhenZero = (schema: Schema, field: string): boolean =>
  omittedWhenZero.has(`${definitionOf(schema)}.${field}`)

/** By its name. What was read from the file is linked in place: a thousand copies would cost a start more. */
export function definition(name: string): Schema {
  const schema = definitions[name]
  if (!schema) throw new Error(`there is no definition ${name}`)
  if (linked.has(name)) return schema
  linked.add(name)
  definitionNames.set(schema, name)
  link(schema)
  const { properties = {} } = schema
  for (const field in properties) nameTypes(properties[field], writtenTypes[`${name}.${field}`])
  return schema
}

/** Puts definitions where references to them stand. */
function link(schema: Written): Schema {
  if (schema.$ref !== undefined) return target(schema, schema.$ref)
  if (schema.format === 'int-or-string') schema['x-kubernetes-int-or-string'] = true
  if (schema.items) schema.items = link(schema.items)
  if (typeof schema.additionalProperties === 'object') schema.additionalProperties = link(schema.additionalProperties)
  // The object stays the same one while it is filled: a copy of a definition that is being linked shares it.
  const { properties } = schema
  if (properties) for (const field in properties) properties[field] = link(properties[field] as Written)
  return schema
}

/** A default beside the reference makes a copy, which shares what is below. */
function target(written: Written, name: string): Schema {
  const found = definition(name)
  if (Object.keys(written).length === 1) return found
  const { $ref: _, ...rest } = written
  const copy = { ...found, ...rest }
  definitionNames.set(copy, name)
  return copy
}

/** With the types of what is in a list or a map. */
function nameTypes(schema: Schema | boolean | undefined, type: string | undefined): void {
  if (typeof schema !== 'object' || type === undefined) return
  typeNames.set(schema, type)
  if (type.startsWith('[]')) nameTypes(schema.items, type.slice('[]'.length))
  if (type.startsWith('map[')) nameTypes(schema.additionalProperties, type.slice(type.indexOf(']') + 1))
}
