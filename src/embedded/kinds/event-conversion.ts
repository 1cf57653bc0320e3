import type { ApiObject } from '../objects.ts'

export const coreEvent = { apiVersion: 'v1', kind: 'Event' } as const
export const newEvent = { apiVersion: 'events.k8s.io/v1', kind: 'Event' } as const

/** The fields that the two kinds of events name differently: of core/v1, of events.k8s.io/v1. */
const renamed: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['source', 'deprecatedSource'],
  ['message', 'note'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

const toNew = new Map(renamed)
const toCore = new Map(renamed.map(([core, other]) => [other, core] as const))

/** An event as the other kind shows it. What is in that form already comes back as it is. */
export function convertEvent(event: ApiObject, apiVersion: string): ApiObject {
  if (event.apiVersion === apiVersion) return event
  const [names, identity, complete] =
    apiVersion === coreEvent.apiVersion
      ? [toCore, coreEvent, completeCoreEvent]
      : ([toNew, newEvent, completeNewEvent] as const)
  const converted: ApiObject = { ...identity, metadata: event.metadata }
  for (const [field, value] of Object.entries(event)) {
    if (field !== 'apiVersion' && field !== 'kind') converted[names.get(field) ?? field] = value
  }
  complete(converted)
  return converted
}

/** What the API server always shows, set or not. */
export function completeCoreEvent(event: ApiObject): void {
  event['involvedObject'] ??= {}
  event['source'] ??= {}
  for (const time of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[time] ??= null
  for (const text of ['reportingComponent', 'reportingInstance']) event[text] ??= ''
  if (event['series']) event['series'] = { lastObservedTime: null, ...event['series'] }
}

export function completeNewEvent(event: ApiObject): void {
  event['regarding'] ??= {}
  event['deprecatedSource'] ??= {}
  for (const time of ['eventTime', 'deprecatedFirstTimestamp', 'deprecatedLastTimestamp']) event[time] ??= null
  for (const text of ['reportingController', 'reportingInstance']) if (event[text] === '') delete event[text]
  if (event['series']) event['series'] = { count: 0, lastObservedTime: null, ...event['series'] }
}
