import { isDeepStrictEqual } from 'node:util'
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { as } from './define.ts'
import { convertEvent, coreEvent, newEvent } from './event-conversion.ts'
import type { FieldError } from './field-errors.ts'
import { immutable, invalidFor, invalidValue, required } from './field-errors.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { dnsSubdomainFlaws, qualifiedNameFlaws } from './names.ts'

type CoreEvent = ApiObject & Event

const asCore = (event: ApiObject): CoreEvent => as<Event>(convertEvent(event, coreEvent.apiVersion))

/** What is asked of events through either API. Fields are named as in core/v1, whichever was used. */
export function eventErrors(object: ApiObject): FieldError[] {
  const event = asCore(object)
  const { metadata, involvedObject } = event
  const namespace = metadata.namespace ?? ''
  const mismatch = invalidValue(
    'involvedObject.namespace',
    involvedObject.namespace ?? '',
    'does not match event.namespace',
  )
  const errors: FieldError[] = []
  if (event.eventTime) {
    if (!involvedObject.namespace && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch)
    errors.push(...reportErrors(event, object.apiVersion))
  } else if (involvedObject.namespace ? involvedObject.namespace !== namespace : namespace !== 'default') {
    errors.push(mismatch)
  }
  errors.push(...invalidFor('namespace', namespace, dnsSubdomainFlaws(namespace)))
  return errors
}

/** An event with an `eventTime` is of the new form, whichever API it came through. */
function reportErrors(event: CoreEvent, apiVersion: string): FieldError[] {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event
  const reporter = apiVersion === newEvent.apiVersion ? 'reportingController' : 'reportingComponent'
  const longerThan = (field: string, value: string, most: number) =>
    Buffer.byteLength(value) > most ? [invalidValue(field, '', `can have at most ${most} characters`)] : []
  const stated = (field: string, value: string) => [
    ...(value === '' ? [required(field)] : []),
    ...longerThan(field, value, 128),
  ]
  return [
    ...(reportingComponent === '' ? [required(reporter)] : []),
    ...invalidFor(reporter, reportingComponent, qualifiedNameFlaws(reportingComponent)),
    ...stated('reportingInstance', reportingInstance),
    ...stated('action', action),
    ...stated('reason', reason),
    ...longerThan('message', message, 1024),
  ]
}

/** What events.k8s.io/v1 asks of a new event besides. */
export function strictErrors(object: ApiObject): FieldError[] {
  const event = asCore(object)
  const unset = (field: string, isSet: unknown) => (isSet ? [invalidValue(field, '', 'needs to be unset')] : [])
  return [
    ...checkStandardFinalizers(object.metadata.finalizers),
    ...seriesErrors(event),
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...(event.type === 'Normal' || event.type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...unset('firstTimestamp', event.firstTimestamp),
    ...unset('lastTimestamp', event.lastTimestamp),
    ...unset('count', event.count),
    ...unset('source', event.source?.component || event.source?.host),
  ]
}

function seriesErrors({ series }: CoreEvent): FieldError[] {
  if (!series) return []
  const errors: FieldError[] = []
  if ((series.count ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'))
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'))
  return errors
}

const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  // Twice, in the real one too.
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const

/** Through events.k8s.io/v1 nothing but the series, labels and the like may change. */
export function strictUpdateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const [event, before] = [asCore(object), asCore(old)]
  const errors = checkStandardFinalizers(object.metadata.finalizers)
  if (!isDeepStrictEqual(event.series, before.series)) errors.push(...seriesErrors(event))
  for (const field of fixed) {
    const value = event[field] ?? empty(field)
    if (isDeepStrictEqual(value, before[field] ?? empty(field))) continue
    errors.push(
      invalidValue(field === 'reportingComponent' ? 'reportingController' : field, printable(field, value), immutable),
    )
  }
  return errors
}

/** The API server prints these two with the names of its own fields, and all of them. */
function printable(field: string, value: unknown): unknown {
  if (field === 'source') {
    const { component = '', host = '' } = value as NonNullable<Event['source']>
    return { Component: component, Host: host }
  }
  if ((field !== 'involvedObject' && field !== 'related') || value === null) return value
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = value as Event['involvedObject']
  return {
    Kind: kind ?? '',
    Namespace: namespace ?? '',
    Name: name ?? '',
    UID: uid ?? '',
    APIVersion: apiVersion ?? '',
    ResourceVersion: resourceVersion ?? '',
    FieldPath: fieldPath ?? '',
  }
}

const empty = (field: string): unknown =>
  field === 'count' ? 0 : /Time/.test(field) || field === 'related' ? null : ''
