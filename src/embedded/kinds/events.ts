import type { Event } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { ageText } from './age.ts'
import type { Cells, Definition, Selectable } from './define.ts'
import { as } from './define.ts'
import { eventErrors, strictErrors, strictUpdateErrors } from './event-checks.ts'
import { completeCoreEvent, completeNewEvent, convertEvent, coreEvent } from './event-conversion.ts'
import { pathSegmentName } from './names.ts'

const core = (event: ApiObject): ApiObject & Event => as<Event>(convertEvent(event, coreEvent.apiVersion))

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const

/**
 * The selectors by the object that an event is about, under the name it has in this API. Events are selected as they
 * are kept and as they are shown, and never converted for it.
 */
const selectableReference = (name: string): Selectable =>
  Object.fromEntries(
    referenceFields.map((field) => [
      `${name}.${field}`,
      (event) =>
        ((event['involvedObject'] ?? event['regarding']) as Event['involvedObject'] | undefined)?.[field] ?? '',
    ]),
  )

const selectable: Selectable = {
  reason: (event) => as<Event>(event).reason ?? '',
  type: (event) => as<Event>(event).type ?? '',
}

const reporter = (event: ApiObject): string =>
  ((event['reportingComponent'] ?? event['reportingController']) as string | undefined) ?? ''

const cells: Cells = {
  'Last Seen': (object, now) => lastSeen(core(object), now),
  Type: (object) => core(object).type ?? '',
  Reason: (object) => core(object).reason ?? '',
  Object: (object) => {
    const { kind = '', name } = core(object).involvedObject
    return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()
  },
  Subobject: (object) => core(object).involvedObject.fieldPath ?? '',
  Source: (object) => {
    const { source, reportingComponent, reportingInstance } = core(object)
    const [component, instance] = [source?.component || reportingComponent, source?.host || reportingInstance]
    return instance ? `${component}, ${instance}` : (component ?? '')
  },
  Message: (object) => (core(object).message ?? '').trim(),
  'First Seen': (object, now) => firstSeen(core(object), now),
  Count: (object) => {
    const { series, count } = core(object)
    return series ? (series.count ?? 0) : count || 1
  },
}

const firstSeen = ({ firstTimestamp, eventTime }: Event, now: Date): string => ageText(firstTimestamp ?? eventTime, now)

const lastSeen = (event: Event, now: Date): string => {
  if (event.series) return ageText(event.series.lastObservedTime, now)
  return event.lastTimestamp ? ageText(event.lastTimestamp, now) : firstSeen(event, now)
}

/** core/v1, in which all events are kept. */
export const coreEvents: Definition = {
  rules: {
    metadataOnCreate: 'apart',
    updateChecks: ['check'],
    checkName: pathSegmentName,
    createsOnUpdate: true,
    ownsNothing: true,
    isUncached: true,
    defaults: completeCoreEvent,
    check: eventErrors,
  },
  cells,
  selectable: {
    ...selectable,
    ...selectableReference('involvedObject'),
    reportingComponent: reporter,
    source: (event) => as<Event>(event).source?.component || reporter(event),
  },
}

/** events.k8s.io/v1: the same events under other names. */
export const newEvents: Definition = {
  storage: 'events',
  storedAs: coreEvent,
  rules: {
    metadataOnCreate: 'last',
    updateChecks: ['check', 'update', 'checkUpdate'],
    createsOnUpdate: true,
    ownsNothing: true,
    isUncached: true,
    defaults: completeNewEvent,
    check: eventErrors,
    checkCreate: strictErrors,
    checkUpdate: strictUpdateErrors,
  },
  convert: async (events, apiVersion) => events.map((event) => convertEvent(event, apiVersion)),
  cells,
  selectable: { ...selectable, ...selectableReference('regarding'), reportingController: reporter },
}
