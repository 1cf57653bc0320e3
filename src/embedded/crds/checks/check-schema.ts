import type { Schema } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField, invalidValue } from '../../kinds/field-errors.ts'
import { checkCelRules } from './cel-rules.ts'
import { checkDefault } from './check-defaults.ts'
import { checkKeywords } from './check-keywords.ts'
import { checkCompleteness, checkStructure, intOrStringUnion } from './check-structure.ts'
import { internalSchema } from './internal-form.ts'
import { nodesOf } from './schema-walk.ts'

/** The schema of one version, which is at `field`. */
export function checkSchema(schema: Schema, field: string, hasStatus: boolean): FieldError[] {
  return [...(hasStatus ? checkRootBesideStatus(schema, field) : []), ...checkContents(schema, field)]
}

function checkContents(schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.nullable) errors.push(forbiddenField(`${field}.nullable`, 'nullable cannot be true at the root'))
  const nodes = [...nodesOf(schema, field)]
  for (const node of nodes) errors.push(...checkStructure(node))
  const excused = new Set(nodes.flatMap(intOrStringUnion))
  const counted = errors.filter((error) => !excused.has(error.field))
  for (const node of nodes) counted.push(...checkKeywords(node))
  counted.push(...checkCompleteness(schema, field))
  for (const node of nodes) counted.push(...checkCelRules(node.schema, node.field))
  if (counted.length > 0) return counted
  return nodes.some(({ schema: part }) => (part as { $schema?: string }).$schema)
    ? [invalidValue(field, '', "OpenAPIV3Schema 'schema' is not supported")]
    : nodes.flatMap(checkDefault)
}

const allowedBesideStatus = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]

const internalName = (keyword: string): string =>
  keyword.startsWith('x-kubernetes-')
    ? `X${keyword.slice(13).replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`
    : keyword.charAt(0).toUpperCase() + keyword.slice(1)

/** With a status subresource, status is checked alone: checks at the root that span it would be lost. */
function checkRootBesideStatus(schema: Schema, field: string): FieldError[] {
  if (schema.type && schema.type !== 'object')
    return [
      invalidValue(
        `${field}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ]
  const others = Object.entries(schema).filter(
    ([name, value]) => value !== false && !allowedBesideStatus.includes(name),
  )
  if (others.length === 0) return []
  const allowed = allowedBesideStatus.map(internalName).join(' ')
  const why = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`
  return [invalidValue(field, internalSchema(schema), why)]
}
