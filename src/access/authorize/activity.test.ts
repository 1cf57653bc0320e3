import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import { accessView } from '../view.ts'
import { createActivity } from './activity.ts'
import { aSession, at, start } from './testing/scene.ts'

type Scope = { after(action: () => Promise<void>): void }

async function activityScene(t: Scope, spec: Partial<BreakglassSession['spec']> = {}) {
  const clock = new FakeClock(start)
  const kube = new MemoryKube(clock)
  const collection = kube.of(BreakglassSession.resource, 'people')
  await collection.create(aSession('one', spec))
  const replica = async () => {
    const deps = { kube, clock, log: silentLog, metrics: noMetrics, random: randomFrom(() => 0) }
    const view = accessView(kube, deps)
    const activity = createActivity({ ...deps, view })
    const stop = new AbortController()
    const running = Promise.all([view.run(stop.signal), activity.run(stop.signal)])
    const end = async () => {
      stop.abort()
      await running
    }
    t.after(end)
    await clock.settle()
    const place = { namespace: 'people', name: 'one' }
    return {
      ...activity,
      view,
      end,
      use: () => activity.used(place, clock.now()),
      last: () => activity.lastUsed(place),
    }
  }
  const status = async () => {
    const { lastActivity, activityCount } = (await collection.get('one')).status ?? {}
    return [lastActivity, activityCount]
  }
  return { clock, kube, collection, replica, status }
}

const second = (seconds: number) => at(seconds).replace('.000', '')

test('use is known at once and written soon, many at a time', async (t) => {
  const { clock, kube, replica, status } = await activityScene(t)
  const { use, last } = await replica()
  use()
  await clock.advance(1_000)
  use()
  use()
  assert.deepEqual(last(), new Date(at(1)))
  assert.deepEqual(await status(), [undefined, undefined])
  await clock.advance(29_000)
  assert.deepEqual(await status(), [second(1), 3])
  assert.equal(kube.count('patch'), 1)
  assert.equal(last(), undefined, 'the status has it')
  await clock.advance(60_000)
  assert.equal(kube.count('patch'), 1, 'nothing is written without need')
  use()
  await clock.advance(30_000)
  assert.deepEqual(await status(), [second(90), 4])
})

test('a short idle timeout has it written sooner', async (t) => {
  const { clock, replica, status } = await activityScene(t, { idleTimeout: '16s' })
  const { use } = await replica()
  use()
  await clock.advance(1_999)
  assert.deepEqual(await status(), [undefined, undefined])
  await clock.advance(1)
  assert.deepEqual(await status(), [second(0), 1])
})

test('a clock that is set back does not delay what is to be written', async (t) => {
  const { clock, replica, status } = await activityScene(t)
  const { use } = await replica()
  use()
  await clock.jumpTo(new Date(clock.now().getTime() - 7_200_000))
  use()
  await clock.advance('31s')
  assert.deepEqual(await status(), [second(0), 2])
})

test('what is not written yet is written at the end', async (t) => {
  const { replica, status } = await activityScene(t)
  const { use, end } = await replica()
  use()
  await end()
  assert.deepEqual(await status(), [second(0), 1])
})

test('two replicas add up, and time never goes back', async (t) => {
  const { clock, collection, replica, status } = await activityScene(t)
  const [a, b] = [await replica(), await replica()]
  a.use()
  a.use()
  await clock.advance(2_000)
  b.use()
  await clock.advance(30_000)
  assert.deepEqual(await status(), [second(2), 3])
  a.use()
  await collection.patch('one', { type: 'merge', body: { status: { lastActivity: at(100), activityCount: 50 } } })
  await clock.advance(30_000)
  assert.deepEqual(await status(), [second(100), 51])
})

test('a write that fails is tried again, and nothing is counted twice or lost', async (t) => {
  const { clock, kube, replica, status } = await activityScene(t)
  const { use, last } = await replica()
  use()
  kube.failNext(1, unreachable(), 'patch')
  await clock.advance(30_000)
  assert.deepEqual(await status(), [undefined, undefined])
  use()
  assert.deepEqual(last(), new Date(at(30)))
  await clock.advance(30_000)
  assert.deepEqual(await status(), [second(30), 2])
  kube.failNext(2, kubeFailure(409, 'Conflict'), 'patch')
  use()
  await clock.advance(30_000)
  assert.deepEqual(await status(), [second(60), 3], 'conflicts are met at once')
})

test('of a session that is gone nothing is kept, nor of another one with its name', async (t) => {
  const { clock, kube, collection, replica } = await activityScene(t)
  const { use, last } = await replica()
  use()
  await collection.delete('one')
  await clock.advance(30_000)
  assert.equal(last(), undefined)
  assert.equal(kube.count('patch'), 0)
  await collection.create(aSession('one'))
  await clock.advance(30_000)
  assert.equal((await collection.get('one')).status?.activityCount, undefined)
})
