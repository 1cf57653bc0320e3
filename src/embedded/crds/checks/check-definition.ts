import { isDeepStrictEqual } from 'node:util'
import type { FieldError } from '../../kinds/field-errors.ts'
import { immutable, invalidFor, invalidValue, notSupported, required } from '../../kinds/field-errors.ts'
import { dns1035LabelFlaws, dnsSubdomainFlaws } from '../../kinds/names.ts'
import type { Definition, DefinitionVersion, Names } from '../definition.ts'
import { hasCondition, storageVersionOf } from '../definition.ts'
import { checkApproval } from './check-approval.ts'
import { checkConversion } from './check-conversion.ts'
import { checkFacets, hoistedFacets } from './check-version.ts'
import { internalVersions } from './internal-form.ts'

/** What is wrong with a definition, but for its metadata. `old` is what an update finds. */
export function checkDefinition(definition: Definition, old?: Definition): FieldError[] {
  const { metadata, spec } = definition
  const { group = '', names, scope, versions = [], conversion, preserveUnknownFields = false } = spec
  const errors: FieldError[] = []
  // An update cannot rename; what it changes of the two is told as immutable.
  if (!metadata.resourceVersion && metadata.name !== `${names.plural}.${group}`)
    errors.push(invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'))
  errors.push(...checkGroup(group), ...checkScope(scope), ...checkVersions(definition, old), ...checkNames(names))
  const hoisted = hoistedFacets(versions)
  const [first] = versions
  if (first) errors.push(...checkFacets(first, 'spec', (facet) => hoisted.has(facet), versionIn(old, first)))
  if (conversion) errors.push(...checkConversion(conversion, preserveUnknownFields))
  errors.push(...checkStored(definition))
  if (preserveUnknownFields)
    errors.push(
      invalidValue(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    )
  return [...errors, ...checkApproval(definition)]
}

function checkGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')]
  const flaws = dnsSubdomainFlaws(group)
  if (flaws.length > 0) return invalidFor('spec.group', group, flaws)
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')]
}

function checkScope(scope: string | undefined): FieldError[] {
  if (!scope) return [required('spec.scope')]
  const known = ['Cluster', 'Namespaced']
  return known.includes(scope) ? [] : [notSupported('spec.scope', scope, known)]
}

const versionIn = (old: Definition | undefined, { name }: DefinitionVersion): DefinitionVersion | undefined =>
  old?.spec.versions?.find((version) => version.name === name)

function checkVersions({ spec }: Definition, old: Definition | undefined): FieldError[] {
  const versions = spec.versions ?? []
  const hoisted = hoistedFacets(versions)
  const errors = versions.flatMap((version, index) => {
    const field = `spec.versions[${index}]`
    return [
      ...invalidFor(`${field}.name`, version.name, dns1035LabelFlaws(version.name ?? '')),
      ...checkDeprecation(version, `${field}.deprecationWarning`),
      ...checkFacets(version, field, (facet) => !hoisted.has(facet), versionIn(old, version)),
      ...(version.schema?.openAPIV3Schema ? [] : [required(`${field}.schema.openAPIV3Schema`)]),
    ]
  })
  const shown = spec.versions ? internalVersions(versions, hoisted) : null
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalidValue('spec.versions', shown, 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version'))
  const first = versions[0]?.name
  if (first) errors.push(...invalidFor('spec.version', first, dns1035LabelFlaws(first)))
  return errors
}

const longestWarning = 256

function checkDeprecation({ deprecated, deprecationWarning: warning }: DefinitionVersion, field: string): FieldError[] {
  if (warning === undefined || warning === null) return []
  if (!deprecated) return [invalidValue(field, warning, 'can only be set for deprecated versions')]
  if (warning === '') return [invalidValue(field, warning, 'must not be an empty string')]
  const errors: FieldError[] = []
  if ([...warning].length > longestWarning)
    errors.push(invalidValue(field, warning, `must be <= ${longestWarning} characters long`))
  const odd = warning.search(/[^\P{C}]|[\u2028\u2029]/u)
  if (odd >= 0) {
    const index = Buffer.byteLength(warning.slice(0, odd))
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`
    errors.push(invalidValue(field, warning, why))
  }
  return errors
}

function checkNames(names: Names): FieldError[] {
  const { plural, singular, kind, listKind } = names
  const errors: FieldError[] = []
  if (!plural) errors.push(required('spec.names.plural'))
  if (!singular) errors.push(required('spec.names.singular'))
  if (!kind) errors.push(required('spec.names.kind'))
  if (!listKind) errors.push(required('spec.names.listKind'))
  errors.push(...checkNameForms(names, 'spec.names'))
  if (kind && kind === listKind)
    errors.push(invalidValue('spec.names.listKind', listKind, 'kind and listKind may not be the same'))
  return errors
}

/** The forms of those that are there. */
export function checkNameForms(names: Names, field: string): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names
  const label = (value: string | undefined, place: string) =>
    value ? invalidFor(`${field}.${place}`, value, dns1035LabelFlaws(value)) : []
  const mixedCase = (value: string | undefined, place: string) =>
    value
      ? dns1035LabelFlaws(value.toLowerCase()).map((flaw) =>
          invalidValue(`${field}.${place}`, value, `may have mixed case, but should otherwise match: ${flaw}`),
        )
      : []
  return [
    ...label(plural, 'plural'),
    ...label(singular, 'singular'),
    ...mixedCase(kind, 'kind'),
    ...mixedCase(listKind, 'listKind'),
    ...shortNames.flatMap((name, index) => label(name, `shortNames[${index}]`)),
    ...categories.flatMap((name, index) => label(name, `categories[${index}]`)),
  ]
}

function checkStored(definition: Definition): FieldError[] {
  const { spec, status } = definition
  const stored = status?.storedVersions ?? []
  const field = 'status.storedVersions'
  if (stored.length === 0) return [invalidValue(field, null, 'must have at least one stored version')]
  const names = (spec.versions ?? []).map(({ name }) => name)
  const errors = stored.flatMap((version, index) =>
    names.includes(version)
      ? []
      : [
          invalidValue(
            `${field}[${index}]`,
            version,
            `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
          ),
        ],
  )
  const flags = (spec.versions ?? []).filter(({ storage }) => storage)
  const storage = flags.length === 1 ? storageVersionOf(definition)?.name : flags.at(-1)?.name
  if (storage !== undefined && (flags.length > 1 || !stored.includes(storage)))
    errors.push(invalidValue(field, stored, `must have the storage version ${storage}`))
  return errors
}

/** What an update must leave as it is: what names the objects, always; what they are stored by, once there may be some. */
export function checkDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const fixed: [field: string, value: unknown, before: unknown][] = [
    ['spec.group', definition.spec.group, old.spec.group],
    ['spec.names.plural', definition.spec.names.plural, old.spec.names.plural],
  ]
  if (hasCondition(old, 'Established'))
    fixed.push(
      ['spec.scope', definition.spec.scope, old.spec.scope],
      ['spec.names.kind', definition.spec.names.kind, old.spec.names.kind],
    )
  return fixed
    .filter(([, value, before]) => !isDeepStrictEqual(value, before))
    .map(([field, value]) => invalidValue(field, value, immutable))
}
