import { isObject } from '../../../core/schema/schema.ts'
import type { PublishedSchema } from '../../kinds/facts/openapi.ts'

type Properties = Readonly<Record<string, PublishedSchema>>

/** What every object has, as the real server describes it. */
export interface ObjectFields {
  readonly root: Properties
  /** Of an object in an object. */
  readonly embedded: Properties
}

/** A structural schema as it is published: with the fields of every object, whatever the definition says of them. */
export function publishedSchema(schema: object, fields: ObjectFields): PublishedSchema {
  const shown = published(schema as Record<string, unknown>, fields)
  return { ...shown, properties: { ...(shown['properties'] as Properties), ...fields.root } }
}

const integerOrString = [{ type: 'integer' }, { type: 'string' }]

function published(schema: Record<string, unknown>, fields: ObjectFields): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (isNothing(keyword, value)) continue
    if (keyword === 'properties') shown[keyword] = eachOf(value as object, (part) => published(part, fields))
    else if (keyword === 'items' || keyword === 'additionalProperties')
      shown[keyword] = isObject(value) ? published(value, fields) : value
    else shown[keyword] = value
  }
  if (schema['x-kubernetes-int-or-string'] === true) addIntegerOrString(shown)
  if (schema['x-kubernetes-embedded-resource'] === true) addObjectFields(shown, fields.embedded)
  return shown
}

const eachOf = (values: object, show: (value: Record<string, unknown>) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, show(value)]))

/** Go leaves out what has its zero value. A default, an example and `additionalProperties: false` say something. */
function isNothing(keyword: string, value: unknown): boolean {
  if (keyword === 'default' || keyword === 'example') return value === undefined || value === null
  if (keyword === 'additionalProperties') return value === undefined
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return keyword === 'properties' && Object.keys(value).length === 0
  return value === undefined || value === null || value === false || value === ''
}

/** Said in words that a client knows which has never heard of the keyword, unless the definition does so itself. */
function addIntegerOrString(shown: Record<string, unknown>): void {
  const [first] = (shown['allOf'] as { anyOf?: unknown }[] | undefined) ?? []
  if (isIntegerOrString(shown['anyOf']) || isIntegerOrString(first?.anyOf)) return
  if (shown['anyOf'] === undefined) shown['anyOf'] = integerOrString
  else shown['allOf'] = [{ anyOf: integerOrString }, ...((shown['allOf'] as unknown[] | undefined) ?? [])]
}

const isIntegerOrString = (anyOf: unknown): boolean =>
  Array.isArray(anyOf) && anyOf.length === 2 && anyOf[0]?.type === 'integer' && anyOf[1]?.type === 'string'

function addObjectFields(shown: Record<string, unknown>, fields: Properties): void {
  const required = (shown['required'] as string[] | undefined) ?? []
  shown['properties'] = { ...(shown['properties'] as object), ...fields }
  shown['required'] = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}
