import { addonSecretsConfigMap } from '../../fleet/names.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/failures.ts'
import { configMaps } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Key } from '../../kube/objects.ts'
import type { Registration } from '../registrations.ts'
import type { PlannedItem } from './plan.ts'
import { secretKey } from './plan.ts'

/** A Secret that the agent made or is about to make, and what for. */
export interface RecordedSecret {
  /** The server of the hub that the credential is from. */
  readonly hub: string
  readonly cluster: string
  readonly addon: string
  readonly namespace: string
  readonly name: string
  readonly type: Registration['type']
  readonly signer: string
  readonly driver: string
}

/** Which Secrets of add-ons are the agent's. Written before they are made, so that none is forgotten by a restart. */
export interface SecretRecord {
  list(): RecordedSecret[]
  get(key: Key): RecordedSecret | undefined
  /** Return once a crash can no longer lose it. */
  put(entry: RecordedSecret): Promise<void>
  remove(key: Key): Promise<void>
}

const field = 'secrets'
const fields = ['hub', 'cluster', 'addon', 'namespace', 'name', 'type', 'signer', 'driver'] as const

export const entryOf = ({ item, driver }: PlannedItem, hub: string): RecordedSecret => {
  const { cluster, addon, type, signer, secret } = item
  return { hub, cluster, addon, ...secret, type, signer, driver: driver.name }
}

export const isSameEntry = (a: RecordedSecret, b: RecordedSecret): boolean =>
  fields.every((name) => a[name] === b[name])

/**
 * Whether a Secret has to go before the next of its name is made. One from another hub or driver stays: its driver
 * replaces it whole, once it has something better.
 */
export const isOfAnother = (a: RecordedSecret, b: RecordedSecret): boolean =>
  a.addon !== b.addon || a.type !== b.type || a.signer !== b.signer

const keyOf = ({ namespace, name }: RecordedSecret): Key => secretKey({ secret: { namespace, name } })

/** Reads the record. What was damaged in it is left out: its Secrets stay until somebody removes them. */
export async function secretRecord(kube: Kube, namespace: string, signal: AbortSignal): Promise<SecretRecord> {
  const collection = kube.of(configMaps, namespace)
  let resourceVersion: string | undefined
  let entries = new Map<Key, RecordedSecret>()
  /** One write at a time, each with the version that the last one left. */
  let last: Promise<unknown> = Promise.resolve()

  async function load(): Promise<void> {
    const found = await collection.find(addonSecretsConfigMap, { signal })
    resourceVersion = found?.metadata.resourceVersion
    // What this process knows of is not forgotten with a ConfigMap that somebody removed.
    entries = new Map([...readEntries(found?.data?.[field]), ...entries.values()].map((entry) => [keyOf(entry), entry]))
  }

  async function write(next: ReadonlyMap<Key, RecordedSecret>): Promise<void> {
    const data = { [field]: JSON.stringify([...next.values()], undefined, 1) }
    const written = resourceVersion
      ? await collection.patch(addonSecretsConfigMap, { type: 'merge', body: { metadata: { resourceVersion }, data } })
      : await collection.create({ metadata: { name: addonSecretsConfigMap }, data })
    resourceVersion = written.metadata.resourceVersion
  }

  async function edit(change: (entries: Map<Key, RecordedSecret>) => void): Promise<void> {
    const next = new Map(entries)
    change(next)
    try {
      await write(next)
      entries = next
    } catch (error) {
      // Somebody else wrote or removed it: whoever tries again changes what is there now.
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) await load()
      throw error
    }
  }

  const inTurn = (change: (entries: Map<Key, RecordedSecret>) => void): Promise<void> => {
    const turn = last.then(() => edit(change))
    last = turn.catch(() => {})
    return turn
  }

  await load()
  return {
    list: () => [...entries.values()],
    get: (key) => entries.get(key),
    put: (entry) => inTurn((next) => next.set(keyOf(entry), entry)),
    remove: (key) => inTurn((next) => next.delete(key)),
  }
}

function readEntries(text: string | undefined): RecordedSecret[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isEntry) : []
  } catch {
    return []
  }
}

const isEntry = (value: unknown): value is RecordedSecret =>
  typeof value === 'object' &&
  value !== null &&
  fields.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
