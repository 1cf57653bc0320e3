import type { TestContext } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { silentLog } from '../../src/core/log.ts'
import { randomFrom } from '../../src/core/random.ts'
import type { InformerOptions } from '../../src/kube/informer.ts'
import { informer } from '../../src/kube/informer.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { KubeObject, Stored } from '../../src/kube/objects.ts'
import { keyOf } from '../../src/kube/objects.ts'
import { FakeClock } from './fake-clock.ts'
import { MemoryKube } from './memory-kube.ts'

export interface SceneOptions<Index extends string> extends Partial<InformerOptions<ConfigMap, Index>> {
  /** ConfigMaps that exist before the informer starts. */
  seed?: number
  historyLength?: number
  /** Leaves it to the test to start the informer. */
  isStopped?: boolean
}

/** Key and version of each object. */
export const versionsOf = (objects: Stored<KubeObject>[]): Record<string, string> =>
  Object.fromEntries(objects.map((object) => [keyOf(object), object.metadata.resourceVersion]).sort())

/** ConfigMaps in memory, an informer over those of namespace `west`, and all it has told. */
export async function anInformedScene<const Index extends string = never>(
  t: Pick<TestContext, 'after'>,
  { seed = 0, historyLength = 1_000, isStopped = false, ...options }: SceneOptions<Index> = {},
) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock, { historyLength })
  const west = kube.of(configMaps, 'west')
  for (let n = 0; n < seed; n++) await west.create({ metadata: { name: `seed-${n}` }, data: { value: '0' } })
  kube.calls.length = 0

  const informed = informer(west, { random: randomFrom(() => 0), log: silentLog, freeze: true, ...options, clock })
  const told: string[] = []
  informed.on(({ type, object }) => told.push(`${type} ${object.metadata.name}=${object.data?.['value']}`))
  const stop = new AbortController()
  const start = () => informed.run(stop.signal)
  const running = isStopped ? Promise.resolve() : start()
  t.after(() => {
    stop.abort()
    return running
  })
  await clock.settle()

  return {
    clock,
    kube,
    west,
    informed,
    told,
    stop,
    start,
    running,
    async put(name: string, value: string): Promise<void> {
      const data = { value }
      if (await west.find(name)) await west.patch(name, { type: 'merge', body: { data } })
      else await west.create({ metadata: { name }, data })
    },
    /** What the informer has and what the server has, to be compared. */
    both: async () => ({ informed: versionsOf(informed.list()), served: versionsOf((await west.list()).items) }),
  }
}
