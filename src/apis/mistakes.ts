import { problemsOf } from '../core/schema/check.ts'
import { withDefaults } from '../core/schema/defaults.ts'
import { fieldError, fieldErrorText } from '../core/schema/field-errors.ts'
import type { Path, Schema } from '../core/schema/schema.ts'
import { isObject, pathText } from '../core/schema/schema.ts'
import type { Declaration } from './declare.ts'

/** What an API server would refuse in the manifest of this declaration, found before one is there to refuse it. */
export function mistakesIn(declaration: Declaration, schemaOf: (version: string) => Schema): string[] {
  const { plural, kind, versions } = declaration
  const stored = versions.filter(({ storage }) => storage)
  return [
    ...(stored.length === 1 ? [] : [`exactly one version must be stored, not ${stored.length}`]),
    ...(plural === plural.toLowerCase() ? [] : [`the plural ${plural} must be lower case`]),
    ...(/^[A-Z][A-Za-z0-9]*$/.test(kind) ? [] : [`the kind ${kind} must be CamelCase`]),
    ...versions.flatMap(({ name }) => schemaMistakes(schemaOf(name), []).map((mistake) => `${name} ${mistake}`)),
  ]
}

function schemaMistakes(schema: Schema, path: Path): string[] {
  const at = pathText(path)
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...defaultMistakes(schema, path),
    ...listMistakes(schema).map((mistake) => `${at} ${mistake}`),
    ...(schema.uniqueItems ? [`${at} must use x-kubernetes-list-type: set in place of uniqueItems`] : []),
    ...Object.entries(properties).flatMap(([name, field]) => schemaMistakes(field, [...path, name])),
    ...(items ? schemaMistakes(items, [...path, '[]']) : []),
    ...(isObject(additionalProperties) ? schemaMistakes(additionalProperties, [...path, '{}']) : []),
  ]
}

/** A default must pass the check of its own field, with the defaults below it filled in. */
function defaultMistakes(schema: Schema, path: Path): string[] {
  if (schema.default === undefined) return []
  return problemsOf(schema, withDefaults(schema, schema.default), path).map(
    (problem) => `has a default that its own check refuses: ${fieldErrorText(fieldError(problem))}`,
  )
}

function listMistakes(schema: Schema): string[] {
  const { items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema
  if (listType !== 'map') return keys.length > 0 ? ['has keys of a list map and is none'] : []
  if (keys.length === 0) return ['is a list map without keys']
  return keys.flatMap((key) => {
    const field = items?.properties?.[key]
    if (!field) return [`has the key ${key}, which its items lack`]
    const present = items?.required?.includes(key) || field.default !== undefined
    return present ? [] : [`has the key ${key}, which must be required or have a default`]
  })
}
