import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { DefinitionVersion } from '../definition.ts'

/**
 * Some messages of the API server print a definition as its code holds it, with the names that its code gives to
 * fields, all of them. What all versions have in common is held elsewhere and is null in each of them.
 */
export const internalVersions = (versions: readonly DefinitionVersion[], hoisted: ReadonlySet<Facet>): unknown[] =>
  versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      hoisted.has('schema') || !version.schema
        ? null
        : { OpenAPIV3Schema: version.schema.openAPIV3Schema ? internalSchema(version.schema.openAPIV3Schema) : null },
    Subresources: hoisted.has('subresources') ? null : internalSubresources(version),
    AdditionalPrinterColumns:
      hoisted.has('additionalPrinterColumns') || !version.additionalPrinterColumns
        ? null
        : version.additionalPrinterColumns.map((column) => ({
            Name: column.name,
            Type: column.type,
            Format: column.format ?? '',
            Description: column.description ?? '',
            Priority: column.priority ?? 0,
            JSONPath: column.jsonPath,
          })),
    SelectableFields:
      hoisted.has('selectableFields') || !version.selectableFields
        ? null
        : version.selectableFields.map(({ jsonPath }) => ({ JSONPath: jsonPath })),
  }))

/** What may differ from version to version. */
export type Facet = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'

function internalSubresources({ subresources }: DefinitionVersion): unknown {
  if (!subresources) return null
  const { status, scale } = subresources
  return {
    Status: status ? {} : null,
    Scale: scale
      ? {
          SpecReplicasPath: scale.specReplicasPath,
          StatusReplicasPath: scale.statusReplicasPath,
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  }
}

const absent = null

export function internalSchema(schema: Schema): Record<string, unknown> {
  const of = schema as Record<string, unknown>
  const many = (value: unknown) => (Array.isArray(value) ? value.map((part) => internalSchema(part)) : absent)
  const named = (value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, internalSchema(part as Schema)]))
      : absent
  const orBool = (value: unknown) =>
    value === undefined
      ? absent
      : { Allows: value !== false, Schema: isObject(value) ? internalSchema(value as Schema) : null }
  return {
    ID: of['id'] ?? '',
    Schema: of['$schema'] ?? '',
    Ref: of['$ref'] ?? absent,
    Description: schema.description ?? '',
    Type: schema.type ?? '',
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? '',
    Title: schema.title ?? '',
    Default: schema.default ?? absent,
    Maximum: schema.maximum ?? absent,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? absent,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? absent,
    MinLength: schema.minLength ?? absent,
    Pattern: schema.pattern ?? '',
    MaxItems: schema.maxItems ?? absent,
    MinItems: schema.minItems ?? absent,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? absent,
    Enum: schema.enum ?? absent,
    MaxProperties: schema.maxProperties ?? absent,
    MinProperties: schema.minProperties ?? absent,
    Required: schema.required ?? absent,
    Items: schema.items ? { Schema: internalSchema(schema.items), JSONSchemas: null } : absent,
    AllOf: many(schema.allOf),
    OneOf: many(schema.oneOf),
    AnyOf: many(schema.anyOf),
    Not: schema.not ? internalSchema(schema.not) : absent,
    Properties: named(schema.properties),
    AdditionalProperties: orBool(schema.additionalProperties),
    PatternProperties: named(of['patternProperties']),
    Dependencies: of['dependencies'] ?? absent,
    AdditionalItems: orBool(of['additionalItems']),
    Definitions: named(of['definitions']),
    ExternalDocs: internalDocs(of['externalDocs']),
    Example: of['example'] ?? absent,
    XPreserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] ?? absent,
    XEmbeddedResource: schema['x-kubernetes-embedded-resource'] ?? false,
    XIntOrString: schema['x-kubernetes-int-or-string'] ?? false,
    XListMapKeys: schema['x-kubernetes-list-map-keys'] ?? absent,
    XListType: schema['x-kubernetes-list-type'] ?? absent,
    XMapType: schema['x-kubernetes-map-type'] ?? absent,
    XValidations: schema['x-kubernetes-validations'] ?? absent,
  }
}

const internalDocs = (docs: unknown): unknown =>
  isObject(docs) ? { Description: docs['description'] ?? '', URL: docs['url'] ?? '' } : absent
