import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { duplicateValue, invalidValue, required, tooMany } from '../../kinds/field-errors.ts'
import type { DefinitionVersion, PrinterColumn, ScalePaths } from '../definition.ts'
import { selectablePath } from '../selectable-path.ts'
import { checkSchema } from './check-schema.ts'
import type { Facet } from './internal-form.ts'

const facets: readonly Facet[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields']

/** What is the same in all versions: the server moves it up, and names it there. */
export const hoistedFacets = (versions: readonly DefinitionVersion[]): Set<Facet> =>
  new Set(
    facets.filter((facet) =>
      versions.every((version) => isDeepStrictEqual(version[facet] ?? null, versions[0]?.[facet] ?? null)),
    ),
  )

/** The facets of one version that it does not share, or of all where they are shared. `field` is where they stand, `old` what an update finds. */
export function checkFacets(
  version: DefinitionVersion,
  field: string,
  wanted: (facet: Facet) => boolean,
  old?: DefinitionVersion,
): FieldError[] {
  const errors: FieldError[] = []
  const schema = version.schema?.openAPIV3Schema
  const hoisted = field === 'spec'
  if (wanted('schema') && schema)
    errors.push(
      ...checkSchema(schema, `${field}.${hoisted ? 'validation' : 'schema'}.openAPIV3Schema`, {
        hasStatus: version.subresources?.status !== undefined,
        isUnchanged: isDeepStrictEqual(schema, old?.schema?.openAPIV3Schema),
      }),
    )
  if (wanted('subresources') && version.subresources?.scale)
    errors.push(...checkScale(version.subresources.scale, `${field}.subresources.scale`))
  if (wanted('additionalPrinterColumns'))
    for (const [index, column] of (version.additionalPrinterColumns ?? []).entries())
      errors.push(...checkColumn(column, `${field}.additionalPrinterColumns[${index}]`))
  if (wanted('selectableFields') && version.selectableFields?.length) {
    // The real server looks for the schema where it stands itself, and not where it may have been moved from there.
    const own = wanted('schema') ? schema : undefined
    errors.push(...checkSelectable(version.selectableFields, own, `${field}.selectableFields`, hoisted))
  }
  return errors
}

function checkSimplePath(path: string | undefined, field: string): FieldError[] {
  if (!path) return [required(field)]
  return path.startsWith('.') ? [] : [invalidValue(field, path, 'must be a simple json path starting with .')]
}

function checkScale({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths, field: string) {
  const under = (path: string | undefined, place: string, ...roots: string[]): FieldError[] => {
    const errors = checkSimplePath(path, place)
    if (errors.length > 0 || roots.some((root) => path?.startsWith(`${root}.`))) return errors
    const where = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`
    return [invalidValue(place, path, `should be a json path under ${where}`)]
  }
  return [
    ...under(specReplicasPath, `${field}.specReplicasPath`, '.spec'),
    ...under(statusReplicasPath, `${field}.statusReplicasPath`, '.status'),
    ...(labelSelectorPath ? under(labelSelectorPath, `${field}.labelSelectorPath`, '.spec', '.status') : []),
  ]
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function checkColumn({ name, type, format, jsonPath }: PrinterColumn, field: string): FieldError[] {
  const errors: FieldError[] = name ? [] : [required(`${field}.name`)]
  const oneOf = `must be one of ${columnTypes.join(',')}`
  if (!type) errors.push(required(`${field}.type`, oneOf))
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${field}.type`, type, oneOf))
  if (format && !columnFormats.includes(format))
    errors.push(invalidValue(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`))
  return [...errors, ...checkSimplePath(jsonPath, `${field}.JSONPath`)]
}

const mostSelectable = 8

function checkSelectable(
  fields: readonly { jsonPath: string }[],
  schema: Schema | undefined,
  field: string,
  isShared: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  if (!schema) {
    const missing = isShared ? 'validations.schema is included' : '`version.schema.openAPIV3Schema` is not included'
    return [invalidValue(field, '', `may only be set when ${missing}`)]
  }
  const seen = new Set<string>()
  fields.forEach(({ jsonPath = '' }, index) => {
    const place = `${field}[${index}].jsonPath`
    const wrong = checkSelectablePath(jsonPath, schema, place)
    errors.push(...wrong)
    if (wrong.length === 0 && seen.has(jsonPath)) errors.push(duplicateValue(place, jsonPath))
    seen.add(jsonPath)
  })
  if (errors.length === 0 && fields.length > mostSelectable) errors.push(tooMany(field, fields.length, mostSelectable))
  return errors
}

function checkSelectablePath(path: string, schema: Schema, place: string): FieldError[] {
  if (path === '') return [required(place)]
  const { steps, flaw } = selectablePath(path)
  if (flaw !== undefined) return [invalidValue(place, path, `is an invalid path: ${flaw}`)]
  let found: Schema | undefined = steps[0] === 'metadata' ? undefined : schema
  for (const step of steps) {
    const additional: Schema | undefined = isObject(found?.additionalProperties)
      ? found.additionalProperties
      : undefined
    found = found?.properties?.[step] ?? additional
  }
  if (!found) return [invalidValue(place, path, 'is an invalid path: does not refer to a valid field')]
  const isScalar = ['string', 'boolean', 'integer'].includes(found.type ?? '')
  return isScalar
    ? []
    : [
        invalidValue(
          place,
          path,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      ]
}
