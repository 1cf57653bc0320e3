/** Whatever breaks on the way to the server or in it, an informer ends up with what the server has. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { Informer } from '../../src/kube/informer.ts'
import { informer } from '../../src/kube/informer.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { KubeObject, Stored } from '../../src/kube/objects.ts'
import { keyOf } from '../../src/kube/objects.ts'
import type { OwnControlPlane, Program } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import type { FaultProxy } from '../support/fault-proxy.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'
import { startWriter } from './writer.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)

type Fault = (world: { plane: OwnControlPlane; proxy: FaultProxy }) => void | Promise<void>

const killed =
  (program: Program): Fault =>
  async ({ plane }) => {
    await plane.kill(program)
    await plane.start(program)
  }

const during =
  (ms: number, begin: (proxy: FaultProxy) => void): Fault =>
  async ({ proxy }) => {
    begin(proxy)
    await delay(ms)
    proxy.heal()
  }

/** In this order, again and again; a pause of random length before each puts it at another moment of the traffic. */
const faults: Readonly<Record<string, Fault>> = {
  'connections dropped': ({ proxy }) => proxy.dropAll(),
  'kube-apiserver killed': killed('kube-apiserver'),
  'connections reset': ({ proxy }) => proxy.resetAll(),
  'half-open for longer than a ping': during(1_200, (proxy) => proxy.halfOpen()),
  'cut in the midst of an answer': during(400, (proxy) => proxy.cutAfterBytes(3_000)),
  'etcd killed': killed('etcd'),
  'slow, then reset': during(500, (proxy) => {
    proxy.delay(150)
    setTimeout(() => proxy.resetAll(), 250)
  }),
  'refused for a while': during(500, (proxy) => {
    proxy.refuse()
    proxy.resetAll()
  }),
}

test(`an informer holds what the server holds after each of ${rounds} faults`, needsControlPlane, async (t) => {
  const plane = await startControlPlane(t, { controllers: false })
  const proxy = await startFaultProxy(t, plane.url)
  const direct = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, direct)
  const impaired = kubeClient(
    t,
    { ...plane.connection(), server: proxy.url },
    { pingAfterMs: 300, pingTimeoutMs: 500, connectMs: 1_000 },
  )
  const watched = informer(impaired.of(configMaps, namespace), {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    backoff: { baseMs: 50, maxMs: 500 },
  })
  const { told, contradictions } = follow(watched)
  run(t, watched)
  await watched.synced()
  const writer = await startWriter(t, plane.descriptorPath, namespace)

  const schedule = Object.entries(faults)
  for (let round = 1; round <= rounds; round++) {
    const [name, strike] = schedule[(round - 1) % schedule.length] as (typeof schedule)[number]
    const startedAt = performance.now()
    await delay(100 + systemRandom.fraction() * 200)
    await strike({ plane, proxy })
    await delay(100)
    const { writes, failures } = await writer.pause()
    const { size } = await eventually(`after "${name}" the store is what the server has`, async () => {
      // Asked each time: a write that the writer gave up on may still land.
      const truth = versionsOf((await direct.of(configMaps, namespace).list()).items)
      assert.deepEqual(versionsOf(watched.list()), truth)
      assert.deepEqual(told, truth)
      return truth
    })
    assert.deepEqual(contradictions, [])
    writer.resume()
    const tookMs = Math.round(performance.now() - startedAt)
    t.diagnostic(`round ${round}: ${name}, ${tookMs} ms, ${size} objects, ${writes} writes, ${failures} failed`)
  }
})

const versionsOf = (objects: readonly Stored<KubeObject>[]): Map<string, string> =>
  new Map(objects.map((object) => [keyOf(object), object.metadata.resourceVersion] as const).sort())

/** The same, put together from what a handler is told, with all that does not fit what it was told before. */
function follow(watched: Informer<ConfigMap>) {
  const told = new Map<string, string>()
  const contradictions: string[] = []
  watched.on(({ type, object }) => {
    const key = keyOf(object)
    if (told.has(key) !== (type !== 'added')) contradictions.push(`${key} was ${type}`)
    if (type === 'deleted') told.delete(key)
    else told.set(key, object.metadata.resourceVersion)
  })
  return { told, contradictions }
}

/** Until the test is over, which fails when the run does. */
function run(t: TestContext, watched: Informer<ConfigMap>): void {
  const stop = new AbortController()
  const over = watched.run(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  teardown(t, async () => {
    stop.abort()
    await over
  })
}
