import { join } from 'node:path'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { passBy } from '../../../core/checkpoint.ts'
import { systemClock } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import { ensureIdentities } from '../../identities.ts'
import type { ApiObject } from '../../objects.ts'
import type { Store } from '../../storage/store.ts'
import { openIn } from '../../storage/testing/stores.ts'
import type { CareDeps } from '../ground.ts'

export const careDeps = (changed: Partial<CareDeps> = {}): CareDeps => ({
  clock: systemClock,
  log: silentLog,
  signal: new AbortController().signal,
  checkpoint: passBy,
  ...changed,
})

const namespace = (name: string) => ({
  storage: 'namespaces',
  namespace: '',
  name,
  follows: 0,
  object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
})

/** Writes a namespace and `count` objects into it, deletes some and changes others. */
export async function fill(store: Store, count: number, size = 40): Promise<void> {
  await store.write(namespace('default'))
  const write = (name: string, value: string | undefined, follows = 0) =>
    store.write({
      ...{ storage: 'configmaps', namespace: 'default', name, follows },
      object: value === undefined ? undefined : object(name, value),
    })
  const made = await Promise.all(
    Array.from({ length: count }, (_, i) => write(`c-${i}`, `${i}-${'x'.repeat((i * 37) % size)}`)),
  )
  for (const [i, { name, revision }] of made.entries())
    if (i % 7 === 0) await write(name, undefined, revision)
    else if (i % 3 === 0) await write(name, `changed-${i}`, revision)
}

const object = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { value },
})

/** Of the objects of `fill`: some go, some change and some stay as they are. */
export function everyOtherMap(map: ApiObject): ApiObject | undefined {
  const number = Number(map.metadata.name?.replace('c-', ''))
  if (number % 3 === 0) return undefined
  return number % 3 === 1 ? { ...map, data: { value: 'corrected' } } : map
}

/** So that the file is the same byte for byte, and damage to it can be repeated. */
const sameTime = { now: () => new Date('2026-11-16T12:00:00Z') }

/** A folder as a control plane leaves it: data and keys. */
export async function aFolder(t: TestScope, count = 40, size = 40): Promise<string> {
  const dir = join(tempDir(t), 'kube')
  const store = openIn(dir, { historyLimit: 60, clock: sameTime })
  await fill(store, count, size)
  await store.close()
  await ensureIdentities(dir, systemClock, '127.0.0.1')
  return dir
}

/** Every object of a folder: its text by its place. */
export async function contentOf(dir: string): Promise<Map<string, string>> {
  const store = openIn(dir)
  try {
    return new Map(
      store
        .storages()
        .flatMap((storage) => store.list(storage).entries)
        .map((entry) => [`${entry.storage}/${entry.namespace}/${entry.name}`, entry.text]),
    )
  } finally {
    await store.close()
  }
}
