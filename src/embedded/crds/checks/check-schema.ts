import type { Schema } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField, invalidValue } from '../../kinds/field-errors.ts'
import { checkDefaults } from './check-defaults.ts'
import { checkKeywords } from './check-keywords.ts'
import { checkRuleForms, checkRules } from './check-rules.ts'
import { checkCompleteness, checkStructure, intOrStringUnion } from './check-structure.ts'
import { internalSchema } from './internal-form.ts'
import { nodesOf } from './schema-walk.ts'

export interface SchemaCheck {
  readonly hasStatus: boolean
  /** Of an update that leaves this schema as it was. */
  readonly isUnchanged: boolean
}

/** The schema of one version, which is at `field`. */
export function checkSchema(schema: Schema, field: string, { hasStatus, isUnchanged }: SchemaCheck): FieldError[] {
  return [...(hasStatus ? checkRootBesideStatus(schema, field) : []), ...checkContents(schema, field, isUnchanged)]
}

function checkContents(schema: Schema, field: string, isUnchanged: boolean): FieldError[] {
  const nodes = [...nodesOf(schema, field)]
  const excused = new Set(nodes.flatMap(intOrStringUnion))
  const shape: FieldError[] = schema.nullable
    ? [forbiddenField(`${field}.nullable`, 'nullable cannot be true at the root')]
    : []
  for (const node of nodes) shape.push(...checkStructure(node).filter((error) => !excused.has(error.field)))
  const keywords = nodes.flatMap(checkKeywords)
  shape.push(...checkCompleteness(schema, field))
  const forms = nodes.flatMap(({ schema: part, field: at }) => checkRuleForms(part, at))
  const isSound = shape.length + keywords.length === 0
  if (isSound && nodes.some(({ schema: part }) => (part as { $schema?: string }).$schema))
    return [invalidValue(field, '', "OpenAPIV3Schema 'schema' is not supported"), ...forms]
  const defaults = isSound ? checkDefaults(nodes) : []
  const others = [...shape, ...keywords, ...defaults]
  const wrong = [...keywords, ...forms].map((error) => error.field)
  const isTyped = shape.length + defaults.length === 0 && !keywords.some((error) => error.field.endsWith('.pattern'))
  return [...others, ...forms, ...(isTyped ? checkRules(schema, field, { wrong, isUnchanged }) : [])]
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
