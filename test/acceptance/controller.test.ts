/** A controller on a real API: level-triggered, whatever the network does and whoever else writes. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import { runTogether } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { done } from '../../src/core/outcome.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { Controller } from '../../src/kube/controller.ts'
import { controller } from '../../src/kube/controller.ts'
import type { Informer } from '../../src/kube/informer.ts'
import { informer } from '../../src/kube/informer.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { Collection } from '../../src/kube/kube.ts'
import { watching } from '../../src/kube/watching.ts'
import { aConfigMap } from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'

const deps = { clock: systemClock, random: systemRandom, log: silentLog }

type Updates = Pick<Collection<ConfigMap>, 'update'>

/** Keeps `shouted` what `said` is in capitals. Updates what the informer has, so a stale one meets a conflict. */
const shouting = (
  { here, informed }: { here: Updates; informed: Informer<ConfigMap> },
  options: object = {},
): Controller =>
  controller(
    'shouting',
    async (key, { signal }) => {
      const object = informed.get(key)
      const { said, shouted } = object?.data ?? {}
      if (!object || said === undefined || shouted === said.toUpperCase()) return done
      await here.update({ ...object, data: { said, shouted: said.toUpperCase() } }, { signal })
      return done
    },
    { ...deps, watches: [watching(informed)], backoff: { baseMs: 20, maxMs: 500 }, ...options },
  )

function start(t: TestContext, run: Run): () => Promise<void> {
  const stop = new AbortController()
  const running = run(stop.signal)
  const end = async () => {
    stop.abort()
    await running
  }
  teardown(t, end)
  return end
}

async function aWorld(t: TestContext) {
  const plane = await startControlPlane(t)
  const direct = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, direct)
  const proxy = await startFaultProxy(t, plane.url)
  const impaired = kubeClient(t, { ...plane.connection(), server: proxy.url })
  const there = impaired.of(configMaps, namespace)
  const informed = informer(there, { ...deps, freeze: true, backoff: { baseMs: 20, maxMs: 500 } })
  const here = direct.of(configMaps, namespace)
  const allShouted = () =>
    eventually('everything said is shouted', async () => {
      for (const { metadata, data } of (await here.list()).items)
        if (data?.['said'] !== undefined) assert.equal(data['shouted'], data['said'].toUpperCase(), metadata.name)
      return true
    })
  return { here, there, proxy, informed, allShouted }
}

describe('a controller', needsControlPlane, () => {
  test('brings everything to its desired state while connections break and others write', async (t) => {
    const { here, there, proxy, informed, allShouted } = await aWorld(t)
    const metrics = await createMetrics()
    start(t, (signal) => runTogether(signal, [informed.run, shouting({ here: there, informed }, { metrics }).run]))
    const names = Array.from({ length: 30 }, (_, n) => `object-${n}`)
    await Promise.all(names.map((name) => here.create(aConfigMap(name, { said: 'hello' }))))
    for (let round = 0; round < 10; round++) {
      const body = { data: { said: `hello ${round}` } }
      await Promise.all(names.map((name) => here.patch(name, { type: 'merge', body })))
      proxy.resetAll()
    }
    await allShouted()
    const counts = (await metrics.text()).split('\n').filter((line) => line.startsWith('lanyard_kube_reconciles_total'))
    t.diagnostic(counts.map((line) => line.replace(/.*outcome="(\w+)"\}/, '$1')).join(', '))
  })

  test('that was away repairs what has drifted meanwhile', async (t) => {
    const { here, there, informed, allShouted } = await aWorld(t)
    start(t, informed.run)
    const stop = start(t, shouting({ here: there, informed }).run)
    await here.create(aConfigMap('a', { said: 'hello' }))
    await allShouted()
    await stop()
    await here.patch('a', { type: 'merge', body: { data: { shouted: 'drifted' } } })
    await here.create(aConfigMap('b', { said: 'new' }))
    start(t, shouting({ here: there, informed }).run)
    await allShouted()
  })

  test('that updates what someone else has changed meets a conflict, and succeeds with what is new', async (t) => {
    const { here, there, informed, allShouted } = await aWorld(t)
    const metrics = await createMetrics()
    let isRivalled = false
    const rivalled: Updates = {
      async update(object) {
        if (!isRivalled) {
          isRivalled = true
          await here.patch('a', { type: 'merge', body: { data: { said: 'changed' } } })
        }
        return there.update(object)
      },
    }
    start(t, (signal) => runTogether(signal, [informed.run, shouting({ here: rivalled, informed }, { metrics }).run]))
    await here.create(aConfigMap('a', { said: 'hello' }))
    await eventually('it is shouted', async () => (await here.get('a')).data?.['shouted'] === 'CHANGED')
    await allShouted()
    assert.match(await metrics.text(), /reconciles_total\{controller="shouting",outcome="conflict"\} [1-9]/)
    assert.match(await metrics.text(), /reconciles_total\{controller="shouting",outcome="error"\} 0/)
  })
})
