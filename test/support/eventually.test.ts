import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, livesBy } from './eventually.ts'
import { FakeClock } from './fake-clock.ts'

const quick = { everyMs: 1 }

test('the first answer that is there is returned, be it zero or empty', async () => {
  const answers = [undefined, null, false, 0] as const
  let asked = 0
  assert.equal(await eventually('an answer', () => answers[asked++], quick), 0)
  assert.equal(asked, 4)
})

test('a condition of its own decides when the answer will do', async () => {
  let count = 0
  assert.equal(await eventually('three', () => ++count, { ...quick, until: (n) => n === 3 }), 3)
})

test('an assertion that fails means not yet', async () => {
  let count = 0
  const probe = () => {
    assert.equal(++count, 3)
    return 'three'
  }
  assert.equal(await eventually('three', probe, quick), 'three')
})

test('when time is up the error tells what was waited for and what was seen last', async () => {
  const waiting = eventually('the secret is there', () => ({ ready: 'no' }), { until: () => false }, 30)
  await assert.rejects(waiting, { message: "not within 30 ms: the secret is there; last seen: { ready: 'no' }" })
})

test('clocks go on for who waits long, unless they are to stand', async (t) => {
  const clock = new FakeClock()
  livesBy(t, clock)
  const startedAt = clock.now().getTime()
  const passed = () => clock.now().getTime() - startedAt
  const since = performance.now()
  await eventually('a while is over', () => performance.now() - since > 700, { clock: 'stands' })
  assert.equal(passed(), 0)
  await eventually('time goes on', () => passed() > 0)
})

test('any other error ends the wait', async () => {
  const broken = new Error('no such host')
  let asked = 0
  const probe = () => {
    asked++
    throw broken
  }
  await assert.rejects(eventually('anything', probe, quick), broken)
  assert.equal(asked, 1)
})
