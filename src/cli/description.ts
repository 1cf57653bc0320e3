/** What the descriptions of things have in common. */
import type { Event } from 'kubernetes-types/core/v1.d.ts'
import type { Condition } from '../core/conditions.ts'
import { isForbidden } from '../kube/failures.ts'
import type { Stored } from '../kube/objects.ts'
import { printable } from './printable.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

/** Undefined for what this user may not see: the rest is worth showing. */
export async function ifAllowed<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

export interface Happening {
  readonly reason: string
  readonly type: string
  readonly message: string
  readonly count: number
  readonly at: Date
}

const asHappening = (event: Stored<Event>): Happening => ({
  reason: event.reason ?? '',
  type: event.type ?? 'Normal',
  message: event.message ?? '',
  count: event.count ?? 1,
  at: new Date(String(event.lastTimestamp ?? event.metadata.creationTimestamp)),
})

/** Oldest first. */
export const happeningsIn = (events: readonly Stored<Event>[] = []): Happening[] =>
  events.map(asHappening).toSorted((a, b) => a.at.getTime() - b.at.getTime())

export const ago = (at: Date | undefined, now: Date): string | undefined =>
  at && `${formatSpan(now.getTime() - at.getTime())} ago`

export const left = (until: Date, now: Date): string =>
  until <= now ? 'expired' : `${formatSpan(until.getTime() - now.getTime())} left`

/** `Name:  value`, one a line. */
export function factLines(facts: readonly (readonly [what: string, is: string | undefined])[]): string {
  const width = Math.max(...facts.map(([what]) => what.length)) + 2
  return facts.map(([what, is]) => `${`${what}:`.padEnd(width)} ${printable(is || '-')}\n`).join('')
}

/** A table under a heading; nothing where there are no rows. */
export const section = <Row>(heading: string, rows: readonly Row[], columns: readonly TableColumn<Row>[]): string =>
  rows.length === 0 ? '' : `\n${heading}:\n${formatTable(columns, rows).replace(/^(?=.)/gm, '  ')}`

export const conditionSection = (conditions: readonly Condition[], now: Date): string =>
  section('Conditions', conditions, [
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'REASON', cell: ({ reason }) => reason },
    { heading: 'SINCE', cell: ({ lastTransitionTime }) => ago(new Date(lastTransitionTime), now) },
    { heading: 'MESSAGE', cell: ({ message }) => message },
  ])

export const eventSection = (happened: readonly Happening[], now: Date): string =>
  section('Events', happened, [
    { heading: 'LAST', cell: ({ at }) => ago(at, now) },
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'REASON', cell: ({ reason }) => reason },
    { heading: 'COUNT', cell: ({ count }) => String(count) },
    { heading: 'MESSAGE', cell: ({ message }) => message },
  ])
