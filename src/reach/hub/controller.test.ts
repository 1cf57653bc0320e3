import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { passBy } from '../../core/checkpoint.ts'
import { findCondition } from '../../core/conditions.ts'
import { everywhere } from '../../core/egress.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import type { OpenSpoke, Spokes } from '../../fleet/spoke/index.ts'
import { spokeView } from '../../fleet/spoke/index.ts'
import { statusController } from './controller.ts'
import { defaultReachSettings } from './deps.ts'
import { reachPasses } from './passes.ts'
import { throttledForMs } from './status/throttled.ts'
import { conditionsOf } from './status-of.ts'
import { aConfig, answering, aSpoke } from './testing/builders.ts'

/** A hub that looks at `west`, whose watch stands still once `stall` was called. */
async function scene(t: TestScope) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  let isLost = false
  const losing = kube.through(async ({ verb }, proceed) => {
    const answer = await proceed()
    if (!isLost || verb !== 'patch') return answer
    isLost = false
    throw unreachable()
  })
  const configs = kube.of(ClusterConfig.resource, 'fleet')
  const west: { spoke: Partial<OpenSpoke>; throttled: (cluster: string) => void } = { spoke: {}, throttled() {} }
  const spokes: Spokes = {
    open: async () => aSpoke(west.spoke),
    forget() {},
    onThrottled(listener) {
      west.throttled = listener
      return { [Symbol.dispose]() {} }
    },
  }
  const common = { clock, random: randomFrom(() => 0.5), log: silentLog, metrics: noMetrics }
  const view = spokeView(kube, common)
  const settings = () => defaultReachSettings
  const deps = {
    ...common,
    kube: losing,
    view,
    spokes,
    events: { record() {}, flush: async () => {} },
    checkpoint: passBy,
    settings,
    egress: () => everywhere,
  }
  const { run } = statusController(deps, reachPasses(deps))
  await configs.create({ metadata: { name: 'west' }, spec: aConfig().spec })
  runInTest(t, [view.run, run])
  await clock.settle(50)
  const status = async (type: string) => findCondition(conditionsOf(await configs.get('west')), type)?.status
  const loseAnswer = () => {
    isLost = true
  }
  return { clock, kube, west, status, stall: () => kube.stallWatches(), loseAnswer }
}

test('what it wrote and the watch has not shown does not keep it from writing what was before', async (t) => {
  const { clock, west, status, stall } = await scene(t)
  assert.equal(await status('Ready'), 'True')
  stall()
  west.spoke = { kube: answering({ version: () => Promise.reject(unreachable()) }) }
  west.throttled('west')
  await clock.settle(50)
  assert.equal(await status('Ready'), 'False')
  west.spoke = {}
  west.throttled('west')
  await clock.settle(50)
  assert.equal(await status('Ready'), 'True')
})

test('a write whose answer was lost does not keep it from writing what was before', async (t) => {
  const { clock, kube, west, status, stall, loseAnswer } = await scene(t)
  stall()
  west.spoke = { kube: answering({ version: () => Promise.reject(unreachable()) }) }
  loseAnswer()
  west.throttled('west')
  await clock.settle(50)
  assert.equal(await status('Ready'), 'False')
  west.spoke = {}
  await clock.advance('1m')
  assert.equal(await status('Ready'), 'True')
  assert.ok(kube.count('patch') >= 3)
})

test('429 counts from when it says that there is none, not from when the watch shows that', async (t) => {
  const { clock, west, status, stall } = await scene(t)
  const isThrottled = async () => {
    const at = clock.now()
    west.spoke = { throttledAt: () => at }
    west.throttled('west')
    await clock.settle(50)
  }
  await isThrottled()
  assert.equal(await status('Throttled'), 'True')
  stall()
  await clock.advance(throttledForMs)
  assert.equal(await status('Throttled'), 'False')
  await isThrottled()
  assert.equal(await status('Throttled'), 'True')
})

test('a watch that hangs does not make each 429 of a look the reason for the next look', async (t) => {
  const { clock, west, status, stall } = await scene(t)
  stall()
  let looks = 0
  const at = clock.now()
  const version = async () => {
    looks += 1
    if (looks < 5) west.throttled('west')
    throw unreachable()
  }
  west.spoke = { throttledAt: () => at, kube: answering({ version }) }
  west.throttled('west')
  await clock.settle(50)
  assert.deepEqual([await status('Throttled'), looks], ['True', 2])
})
