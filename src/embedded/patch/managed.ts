import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.d.ts'
import type { FieldSet } from './fields.ts'
import type { FieldsV1 } from './fields-v1.ts'
import { parseFields, printFields, readFields } from './fields-v1.ts'

export type { ManagedFieldsEntry }

export type Operation = 'Apply' | 'Update'

/** Who did it, and how. Of one who applies, the version does not count: the newest takes the place of the one before. */
export interface Manager {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  readonly subresource: string
}

/** The fields of one manager. */
export interface Managed extends Manager {
  readonly fields: FieldSet
  readonly time: string | undefined
  /** The same fields as they stand in the object, as long as they are the same. */
  readonly written?: FieldsV1
}

export const isSameManager = (a: Manager, b: Manager): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === 'Apply' || a.apiVersion === b.apiVersion)

/** The same text for the same manager. */
export const managerKey = ({ manager, operation, apiVersion, subresource }: Manager): string =>
  JSON.stringify([manager, operation, subresource, operation === 'Apply' ? '' : apiVersion])

/** Reads what this server wrote. Of two entries of one manager, which a Scale may leave behind, the later counts. */
export function readManaged(entries: readonly ManagedFieldsEntry[] | undefined): Managed[] {
  const all = (entries ?? []).map((entry) => {
    const written = (entry.fieldsV1 ?? {}) as FieldsV1
    return { ...managerOf(entry), time: entry.time, fields: readFields(written), written }
  })
  return all.filter((managed, i) => !all.some((later, j) => j > i && isSameManager(managed, later)))
}

/** Reads what a client wrote; throws a SyntaxError when that is no list of managed fields. */
export function parseManaged(entries: readonly ManagedFieldsEntry[]): Managed[] {
  const all: Managed[] = []
  for (const [i, entry] of entries.entries()) {
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      throw new SyntaxError('operation must be `Apply` or `Update`')
    if (!entry.apiVersion) throw new SyntaxError('apiVersion must not be empty')
    if (!entry.fieldsType) throw new SyntaxError(`missing fieldsType in managed fields entry ${i}`)
    if (entry.fieldsType !== 'FieldsV1')
      throw new SyntaxError(`invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${i}`)
    const managed = { ...managerOf(entry), time: entry.time, fields: parseFields(entry.fieldsV1 ?? {}) }
    const known = all.findIndex((other) => isSameManager(other, managed))
    if (known < 0) all.push(managed)
    else all[known] = managed
  }
  return all
}

const managerOf = ({ manager = '', operation, apiVersion = '', subresource = '' }: ManagedFieldsEntry): Manager => ({
  manager,
  operation: operation === 'Apply' ? 'Apply' : 'Update',
  apiVersion,
  subresource,
})

/** In the order, and with its members in the order, in which Kubernetes writes them. */
export const writeManaged = (all: readonly Managed[]): ManagedFieldsEntry[] =>
  [...all].sort(byAge).map(({ manager, operation, apiVersion, subresource, time, fields, written }) => ({
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: (written ?? printFields(fields)) as object,
    ...(subresource !== '' && { subresource }),
  }))

const byAge = (a: Managed, b: Managed): number =>
  inOrder(a.operation, b.operation) ||
  inOrder(a.time ?? '', b.time ?? '') ||
  inOrder(a.manager, b.manager) ||
  inOrder(a.apiVersion, b.apiVersion) ||
  inOrder(a.subresource, b.subresource)

export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** With other fields. */
export function withFields(managed: Managed, fields: FieldSet): Managed {
  if (fields === managed.fields) return managed
  const { written: _, ...rest } = managed
  return { ...rest, fields }
}
