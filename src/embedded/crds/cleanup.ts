import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { ApiObject } from '../objects.ts'
import { apiVersionOf } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry, Store } from '../storage/store.ts'
import { conditionsOf, terminating, withCondition } from './conditions.ts'
import type { CrdDeps } from './crd-controller.ts'
import type { Definition } from './definition.ts'
import { cleanupFinalizer } from './definition.ts'
import { releaseDefinition, writeStatus } from './definition-writes.ts'

/**
 * One step towards the end of a definition: its objects are deleted, those with finalizers are waited for, then the
 * definition may go. What a request that was under way adds after that is taken out of the store again.
 */
export async function finishDeletion(
  definition: Definition | undefined,
  storage: string,
  deps: CrdDeps,
): Promise<Outcome> {
  const { store, kube } = deps
  // A definition by the name of what is served without one never had objects: those are not its own.
  const hasOwn = !deps.registry.all().some((kind) => !kind.custom && kind.storage === storage)
  if (!definition) {
    if (!hasOwn) return done
    await removeFromStore(store, store.list(storage).entries)
    return done
  }
  if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return done
  const isOver = !hasOwn || store.count(storage) === 0
  const finding = isOver ? terminating.completed : terminating.inProgress
  if (!conditionsOf(definition).some(({ reason }) => reason === finding.reason)) {
    const now = deps.clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
    const conditions = withCondition(conditionsOf(definition), finding, now)
    // The state that this leads to brings the definition back here.
    await writeStatus(definition, { ...definition.status, conditions }, kube)
    return done
  }
  if (isOver) await releaseDefinition(definition.metadata.name ?? '', kube)
  else await deleteObjects(definition, storage, deps)
  return done
}

const isStaying = (entry: Entry): boolean => parsed<ApiObject>(entry).metadata.deletionTimestamp !== undefined

async function deleteObjects({ spec }: Definition, storage: string, deps: CrdDeps): Promise<void> {
  const { store, registry, kube } = deps
  const waiting = store.list(storage).entries.filter((entry) => !isStaying(entry))
  const [group, plural] = [spec.group, storage.slice(0, -(spec.group.length + 1))]
  const version = registry.get(group, plural)?.versions[0]?.name
  // Without a version that is served, nobody can be asked, nor can anybody take a finalizer away.
  if (version === undefined) return removeFromStore(store, store.list(storage).entries)
  const base = `/apis/${apiVersionOf(group, version)}`
  for (const namespace of new Set(waiting.map((entry) => entry.namespace))) {
    const path = namespace === '' ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`
    await kube.request({ method: 'DELETE', path, deadlineMs: 300_000 })
  }
}

async function removeFromStore(store: Store, entries: readonly Entry[]): Promise<void> {
  for (const { storage, namespace, name, revision: follows } of entries)
    await store.write({ storage, namespace, name, follows, object: undefined })
}
