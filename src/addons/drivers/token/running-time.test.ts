import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { after } from '../../../core/clock.ts'
import type { Pass } from '../../../core/pass.ts'
import { reasons } from '../../../core/reasons.ts'
import { runningTime } from './running-time.ts'

function scene() {
  const clock = new FakeClock()
  let pokes = 0
  const running = runningTime(clock, () => {
    pokes += 1
  })
  const pass = (fingerprint: string) => ({ fingerprint, renewAt: after(clock.now(), 480_000) }) as Pass
  const issued = (fingerprint: string) => {
    const given = pass(fingerprint)
    running.follow({
      state: reasons.PassIssued,
      usable: true,
      pass: given,
      ...(given.renewAt && { nextAt: given.renewAt }),
    })
  }
  return { clock, running, pass, issued, pokes: () => pokes }
}

test('a token is due by running time, also when the wall clock is set back', async () => {
  const { clock, running, issued, pokes } = scene()
  issued('a')
  await clock.jumpTo(after(clock.now(), -86_400_000))
  await clock.advance(479_999)
  assert.deepEqual([running.isDue('a'), pokes()], [false, 0])
  await clock.advance(1)
  assert.equal(running.isDue('a'), true)
  assert.ok(pokes() >= 1)
  assert.equal(running.isDue('b'), false)
})

test('dates of the same token that are read again later change nothing; another token starts anew', async () => {
  const { clock, running, issued } = scene()
  issued('a')
  await clock.advance('400s')
  issued('a')
  await clock.advance('80s')
  assert.equal(running.isDue('a'), true)
  issued('b')
  await clock.advance('479s')
  assert.deepEqual([running.isDue('a'), running.isDue('b')], [false, false])
})

test('a failure pokes when its pause is over, and makes nothing due', async () => {
  const { clock, running, pass, pokes } = scene()
  running.follow({ state: reasons.IssuanceFailed, usable: true, pass: pass('a'), nextAt: after(clock.now(), 5_000) })
  await clock.jumpTo(after(clock.now(), -60_000))
  await clock.advance('5s')
  assert.deepEqual([running.isDue('a'), pokes()], [false, 1])
})

test('while the wall clock goes on as ever the loop is not poked: it wakes by itself', async () => {
  const { clock, running, issued, pokes } = scene()
  issued('a')
  await clock.advance('480s')
  assert.deepEqual([running.isDue('a'), pokes()], [true, 0])
})

test('nothing happens once it is stopped', async () => {
  const { clock, running, issued, pokes } = scene()
  issued('a')
  running.stop()
  await clock.advance('1h')
  assert.deepEqual([running.isDue('a'), pokes()], [false, 0])
})
