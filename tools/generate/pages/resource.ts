import { subresourcesOf } from '../../../src/apis/crd.ts'
import type { AnyCustomResource, Version } from '../../../src/apis/declare.ts'
import type { Schema } from '../../../src/core/schema/schema.ts'
import { defaultWords, describe, typeWords } from './schema-words.ts'
import { code, table } from './table.ts'

const ofEveryObject = ['apiVersion', 'kind', 'metadata']

export function resourcePage(resource: AnyCustomResource): string {
  const { kind, group, plural, scope, shortNames = [], versions } = resource.declaration
  const facts = [
    ['API group', code(group)],
    ['Resource', code(plural)],
    ['Short names', shortNames.map(code).join(', ') || 'none'],
    ['Scope', scope === 'Cluster' ? 'the cluster' : 'a namespace'],
    ['Manifest', code(`deploy/crds/${group}_${plural}.yaml`)],
  ]
  return [`# ${kind}\n`, table(['', ''], facts), ...versions.map((version) => versionSection(resource, version))].join(
    '\n',
  )
}

function versionSection(resource: AnyCustomResource, version: Version): string {
  const schema = resource.schema(version.name)
  const notes = [
    version.storage ? 'stored' : '',
    (version.served ?? true) ? 'served' : 'not served',
    ...Object.keys(subresourcesOf(version)).map((name) => `subresource ${code(name)}`),
    version.deprecated ? `deprecated${typeof version.deprecated === 'string' ? `: ${version.deprecated}` : ''}` : '',
  ].filter((note) => note !== '')
  const { columns = [], selectableFields = [] } = version
  return [
    `## ${version.name}\n`,
    ...(schema.description ? [`${schema.description}\n`] : []),
    `Version ${code(version.name)} is ${notes.join(', ')}.\n`,
    table(['Field', 'Type', 'Required', 'Default', 'Description'], fieldRows(schema)),
    ...(selectableFields.length > 0 ? [`Field selectors: ${selectableFields.map(code).join(', ')}.\n`] : []),
    ...(columns.length > 0
      ? [`Columns of ${code('kubectl get')}:\n`, table(['Column', 'Shows'], columnRows(columns))]
      : []),
  ].join('\n')
}

const columnRows = (columns: NonNullable<Version['columns']>): string[][] =>
  columns.map(({ name, jsonPath, priority = 0 }) => [name, `${code(jsonPath)}${priority > 0 ? ' (wide)' : ''}`])

/** A row for each field, in the order declared, parents before children. */
function fieldRows(schema: Schema): string[][] {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !ofEveryObject.includes(name))
  return fields.flatMap(([name, field]) => rowsOf(field, name, schema.required?.includes(name) ?? false))
}

function rowsOf(schema: Schema, path: string, required: boolean): string[][] {
  const row = [code(path), typeWords(schema), required ? 'yes' : '', defaultWords(schema), describe(schema)]
  return [row, ...childRows(schema, path)]
}

function childRows(schema: Schema, path: string): string[][] {
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      rowsOf(field, `${path}.${name}`, schema.required?.includes(name) ?? false),
    ),
    // An item that is no object is already told by the type of its list.
    ...(items ? childRows(items, `${path}[]`) : []),
    ...(typeof additionalProperties === 'object' ? childRows(additionalProperties, `${path}{}`) : []),
  ]
}
