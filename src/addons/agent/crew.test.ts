import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { aborted } from '../../core/lifecycle.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import { crew } from './crew.ts'

function scene() {
  const clock = new FakeClock()
  return { clock, runs: crew({ clock, random: randomFrom(() => 0.5), log: silentLog }) }
}

test('one that fails starts anew after a pause, and harms no other', async () => {
  const { clock, runs } = scene()
  let starts = 0
  runs.start('good', aborted)
  runs.start('bad', async () => {
    starts += 1
    throw new Error('broken')
  })
  await clock.advance('4s')
  assert.equal(starts, 3)
  assert.ok(runs.has('good'))
  await runs.dismiss()
  assert.equal(clock.nextDue, undefined)
})

test('a name is held by one at a time, until that one has ended', async () => {
  const { runs } = scene()
  const started: string[] = []
  const member = (name: string) => (signal: AbortSignal) => {
    started.push(name)
    return aborted(signal)
  }
  runs.start('a', member('first'))
  runs.start('a', member('second'))
  await runs.stop('a')
  assert.equal(runs.has('a'), false)
  runs.start('a', member('third'))
  assert.deepEqual(started, ['first', 'third'])
  await runs.dismiss()
  runs.start('a', member('late'))
  assert.deepEqual(started, ['first', 'third'])
})
