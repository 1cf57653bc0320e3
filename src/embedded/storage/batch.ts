import type { ApiObject } from '../objects.ts'
import { fresh } from './reading.ts'
import type { Change, Entry, Write } from './store.ts'
import { ObjectTooLarge, StaleWrite } from './store.ts'

/** What becomes of a write once its batch is on disk. */
export type Verdict = Change | Error

export interface Situation {
  get(storage: string, namespace: string, name: string): Entry | undefined
  /** The highest revision that was ever given to a change. */
  lastRevision: number
  writtenAt: number
}

/** Takes writes one after the other, each on top of those before it: one that is refused takes no revision. */
export function decideBatch(writes: readonly Write[], { get, lastRevision, writtenAt }: Situation): Verdict[] {
  const made = new Map<string, Entry | undefined>()
  let revision = lastRevision
  return writes.map((write) => {
    const { storage, namespace, name, follows } = write
    const key = `${storage}/${namespace}/${name}`
    const current = made.has(key) ? made.get(key) : get(storage, namespace, name)
    if ((current?.revision ?? 0) !== follows || !(current || write.object)) return new StaleWrite(current)
    const change = changeBy(write, current, revision + 1, writtenAt)
    if (change instanceof Error) return change
    revision++
    made.set(key, change.type === 'DELETED' ? undefined : change.entry)
    return change
  })
}

function changeBy(write: Write, before: Entry | undefined, revision: number, writtenAt: number): Verdict {
  try {
    const text = textOf(write.object ?? fresh(before as Entry), revision)
    if (write.object && text.length > mostTextOf(write.object, before)) return new ObjectTooLarge()
    const { storage, namespace, name } = before ?? ownNames(write)
    const entry = { storage, namespace, name, revision, text, writtenAt }
    return { type: typeOf(write, before), revision, entry, before }
  } catch (error) {
    return error instanceof Error ? error : new Error('the object cannot be written as JSON', { cause: error })
  }
}

/**
 * A little more than etcd takes, in characters of JSON: an object is read whole with every change of it, so that one
 * that grows without end takes all of the processor. What is being deleted, or was larger before, must be able to go.
 */
const mostText = 2 * 1024 * 1024

const mostTextOf = ({ metadata }: ApiObject, before: Entry | undefined): number =>
  Math.max(metadata.deletionTimestamp ? 2 * mostText : mostText, before?.text.length ?? 0)

const typeOf = (write: Write, before: Entry | undefined): Change['type'] => {
  if (!write.object) return 'DELETED'
  return before ? 'MODIFIED' : 'ADDED'
}

const textOf = (object: ApiObject, revision: number): string =>
  JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } })

// A name that was cut out of a request's path keeps all of that path in memory; a copy does not.
const ownNames = ({ storage, namespace, name }: Write) => ({
  storage,
  namespace: copied(namespace),
  name: copied(name),
})

const copied = (text: string): string => Buffer.from(text).toString()
