import type { ObjectMeta } from '../objects.ts'
import { splitApiVersion } from '../objects.ts'
import type { FieldError } from './field-errors.ts'
import {
  forbiddenField,
  immutable,
  invalidFor,
  invalidValue,
  mustNotBeNegative,
  required,
  tooLong,
} from './field-errors.ts'
import { checkLabels } from './label-selector.ts'
import type { NameCheck } from './names.ts'
import { labelName, qualifiedNameFlaws, subdomainName } from './names.ts'

export interface MetadataForm {
  readonly namespaced: boolean
  /** Default: a DNS subdomain. */
  readonly checkName?: NameCheck | undefined
}

/** What every new object is held to. Its name must have been generated, its namespace filled in. */
export function checkMetadata(
  metadata: ObjectMeta,
  { namespaced, checkName = subdomainName }: MetadataForm,
): FieldError[] {
  const { name = '', generateName = '', namespace = '' } = metadata
  const errors: FieldError[] = []
  if (generateName !== '')
    errors.push(...invalidFor('metadata.generateName', generateName, checkName(generateName, true)))
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else errors.push(...invalidFor('metadata.name', name, checkName(name, false)))
  if (!namespaced && namespace !== '') errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'))
  if (namespaced && namespace === '') errors.push(required('metadata.namespace'))
  else if (namespaced) errors.push(...invalidFor('metadata.namespace', namespace, labelName(namespace, false)))
  errors.push(...clientFieldErrors(metadata))
  return errors
}

/** In place of `checkMetadata` when an object changes: what a client may say, and what it must not touch. */
export const checkMetadataUpdate = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] => [
  ...clientFieldErrors(metadata),
  ...updateErrors(metadata, old),
]

/** What a change of the metadata is held to. */
export function updateErrors(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp) errors.push(...checkNoNewFinalizers(metadata.finalizers ?? [], old.finalizers ?? []))
  if (!metadata.resourceVersion)
    errors.push(invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'))
  if ((metadata.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalidValue('metadata.generation', metadata.generation ?? 0, 'must not be decremented'))
  for (const field of fixed) {
    if ((metadata[field] ?? '') !== (old[field] ?? ''))
      errors.push(invalidValue(`metadata.${field}`, metadata[field] ?? null, immutable))
  }
  errors.push(...saidErrors(metadata))
  return errors
}

/** What a client may say of the metadata. */
export function clientFieldErrors(metadata: ObjectMeta): FieldError[] {
  const errors = mustNotBeNegative('metadata.generation', metadata.generation)
  errors.push(...saidErrors(metadata))
  if (metadata.finalizers) errors.push(...checkFinalizers(metadata.finalizers))
  return errors
}

const saidErrors = ({ labels = {}, annotations = {}, ownerReferences = [] }: ObjectMeta): FieldError[] => [
  ...checkLabels(labels, 'metadata.labels'),
  ...checkAnnotations(annotations, 'metadata.annotations'),
  ...checkOwnerReferences(ownerReferences),
]

const fixed = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

const annotationsMaxBytes = 256 * 1024

export function checkAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...invalidFor(field, key, qualifiedNameFlaws(key.toLowerCase())))
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > annotationsMaxBytes) errors.push(tooLong(field, annotationsMaxBytes))
  return errors
}

type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number]

const isGroupVersion = (apiVersion: string): boolean => apiVersion.split('/').length <= 2
const noGroupVersion = { group: '', version: '' }

/** As Go writes it, whatever a patch made of the order. */
const inOrder = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) => ({
  ...{ apiVersion, kind, name, uid, controller, blockOwnerDeletion },
})

/** Each is told with all references: for thousands that would be their square. */
const toldControllers = 10
/** Of hundreds of thousands, the rest is not looked at once so much is wrong. */
const mostTold = 100

function checkOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const field = 'metadata.ownerReferences'
  const errors: FieldError[] = []
  let controller: string | undefined
  let others = 0
  for (const reference of references) {
    if (errors.length > mostTold) break
    const { apiVersion = '', kind = '', name = '', uid = '' } = reference
    const { group, version } = isGroupVersion(apiVersion) ? splitApiVersion(apiVersion) : noGroupVersion
    if (version === '') errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'))
    if (kind === '') errors.push(invalidValue(`${field}.kind`, kind, 'must not be empty'))
    if (name === '') errors.push(invalidValue(`${field}.name`, name, 'must not be empty'))
    if (uid === '') errors.push(invalidValue(`${field}.uid`, uid, 'must not be empty'))
    if (group === '' && version === 'v1' && kind === 'Event')
      errors.push(invalidValue(field, inOrder(reference), '/v1, Kind=Event is disallowed from being an owner'))
    if (!reference.controller) continue
    const named = `${kind}/${name}`
    if (controller === undefined) controller = named
    else if (++others <= toldControllers)
      errors.push(
        invalidValue(
          field,
          references.map(inOrder),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`,
        ),
      )
  }
  return errors
}

function checkFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers'
  const errors = finalizers.flatMap((finalizer) => invalidFor(field, finalizer, qualifiedNameFlaws(finalizer)))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  return errors
}

function checkNoNewFinalizers(finalizers: readonly string[], old: readonly string[]): FieldError[] {
  const added = [...new Set(finalizers)].filter((finalizer) => !old.includes(finalizer)).sort()
  if (added.length === 0) return []
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
  return [forbiddenField('metadata.finalizers', why)]
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion']

/** The kinds of the older groups take only their own finalizers and those with a domain. */
export const checkStandardFinalizers = (
  finalizers: readonly string[] = [],
  field = 'metadata.finalizers',
): FieldError[] => finalizers.flatMap((finalizer, index) => checkStandardFinalizer(finalizer, `${field}[${index}]`))

export const checkStandardFinalizer = (finalizer: string, field: string): FieldError[] =>
  finalizer.includes('/') || standardFinalizers.includes(finalizer)
    ? []
    : [invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]
