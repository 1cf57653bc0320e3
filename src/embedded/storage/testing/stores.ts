import { systemClock } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import type { ApiObject } from '../../objects.ts'
import type { StoreOptions } from '../open-store.ts'
import { openStore } from '../open-store.ts'
import type { Entry, Store, Write } from '../store.ts'

export const openIn = (dir: string, options: Partial<StoreOptions> = {}): Store =>
  openStore({ dir, clock: systemClock, log: silentLog, ...options })

export const anObject = (name: string, value: string, namespace = 'default'): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { value },
})

interface Place {
  storage?: string
  namespace?: string
}

export const aWrite = (name: string, value: string | undefined, follows = 0, place: Place = {}): Write => {
  const { storage = 'configmaps', namespace = 'default' } = place
  const object = value === undefined ? undefined : anObject(name, value, namespace)
  return { storage, namespace, name, follows, object }
}

/** Writes on top of whatever is there. */
export const put = (store: Store, name: string, value: string | undefined, place: Place = {}): Promise<Entry> => {
  const { storage = 'configmaps', namespace = 'default' } = place
  return store.write(aWrite(name, value, store.get(storage, namespace, name)?.revision, place))
}

export const storedValue = (entry: Entry | undefined): string | undefined => entry && JSON.parse(entry.text).data.value

/** `name=value@revision` of each, in order. */
export const told = (entries: readonly Entry[]): string[] =>
  entries.map((entry) => `${entry.namespace}/${entry.name}=${storedValue(entry)}@${entry.revision}`)
