import { aDefinition } from '../../../../test/support/custom-resources.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { systemClock } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import { systemRandom } from '../../../core/random.ts'
import type { Kube } from '../../../kube/kube.ts'
import { Registry } from '../../kinds/registry.ts'
import type { ApiObject } from '../../objects.ts'
import { fresh, parsed } from '../../storage/reading.ts'
import type { Entry, Store } from '../../storage/store.ts'
import { openIn } from '../../storage/testing/stores.ts'
import { crdController } from '../crd-controller.ts'
import { crdRules } from '../crd-rules.ts'
import type { Definition } from '../definition.ts'

const storage = 'customresourcedefinitions.apiextensions.k8s.io'

/** Thrown in place of an effect, once the process is to have ended. */
class Killed extends Error {}

/** A store with definitions in it, and controllers that may end at any of their effects. */
export async function startScene(t: TestScope) {
  const store = openIn(await tempDir(t), { sync: async () => {} })
  teardown(t, () => store.close())

  const definition = (name: string): Definition | undefined => {
    const entry = store.get(storage, '', name)
    return entry && parsed<Definition>(entry)
  }
  const put = (name: string, object: ApiObject | undefined): Promise<Entry> =>
    store.write({ storage, namespace: '', name, follows: store.get(storage, '', name)?.revision ?? 0, object })

  /** Runs a controller until its kube has had `effects` of them. */
  function run(effects = Number.POSITIVE_INFINITY) {
    const registry = new Registry()
    const stop = new AbortController()
    let left = effects
    const act = async (effect: () => Promise<unknown>) => {
      if (left-- <= 0) {
        stop.abort()
        throw new Killed('the process has ended')
      }
      return effect()
    }
    const crds = crdController({
      ...{ store, registry, clock: systemClock, random: systemRandom, log: silentLog },
      kube: kubeOn(store, act),
    })
    crds.loadAll()
    const over = crds.run(stop.signal)
    const end = async () => {
      stop.abort()
      await over
    }
    teardown(t, end)
    return { registry, over, end }
  }

  return {
    store,
    definition,
    run,
    async define(input: Parameters<typeof aDefinition>[0]): Promise<string> {
      const object = aDefinition(input) as unknown as ApiObject
      crdRules.defaults?.(object)
      crdRules.prepareCreate?.(object, {} as never)
      await put(object.metadata.name ?? '', object)
      return object.metadata.name ?? ''
    },
    async remove(name: string): Promise<void> {
      const entry = store.get(storage, '', name) as Entry
      const object = fresh(entry)
      object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
      crdRules.markDeleting?.(object)
      await put(name, object)
    },
    addObject: (name: string, object: string, metadata: object = {}) =>
      store.write({
        storage: name,
        namespace: 'default',
        name: object,
        follows: 0,
        object: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: object, namespace: 'default', ...metadata },
        },
      }),
    condition: (name: string, type: string) =>
      definition(name)?.status?.conditions?.find((condition) => condition.type === type),
    until: (what: string, look: () => boolean) => eventually(what, look, { everyMs: 5 }),
  }
}

/** As much of the API as the controller uses. */
function kubeOn(store: Store, act: (effect: () => Promise<unknown>) => Promise<unknown>): Kube {
  const replace = async (name: string, change: (current: ApiObject) => void) => {
    const entry = store.get(storage, '', name)
    if (!entry) return undefined
    const next = fresh(entry)
    change(next)
    const isOver = next.metadata.deletionTimestamp && !next.metadata.finalizers?.length
    const place = { storage, namespace: '', name, follows: entry.revision }
    return fresh(await store.write({ ...place, object: isOver ? undefined : next }))
  }
  const definitions = {
    find: async (name: string) => {
      const entry = store.get(storage, '', name)
      return entry && fresh(entry)
    },
    update: (object: ApiObject, { subresource }: { subresource?: string } = {}) =>
      act(() =>
        replace(object.metadata.name ?? '', (current) => {
          if (subresource) current['status'] = object['status']
          else if (object.metadata.finalizers) current.metadata.finalizers = object.metadata.finalizers
        }),
      ),
  }
  const request = ({ path }: { path: string }) =>
    act(async () => {
      const [, , group = '', , , namespace = '', plural = ''] = path.split('/')
      for (const entry of store.list(`${plural}.${group}`, { namespace }).entries) {
        const object = fresh(entry)
        object.metadata.deletionTimestamp ??= '2026-01-01T00:00:00Z'
        const { storage: of, name, revision: follows } = entry
        await store.write({
          storage: of,
          namespace,
          name,
          follows,
          object: object.metadata.finalizers?.length ? object : undefined,
        })
      }
    })
  return { of: () => definitions, request } as unknown as Kube
}
