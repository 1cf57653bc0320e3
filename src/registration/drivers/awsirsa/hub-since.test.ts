import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { sinceWhen } from './hub-since.ts'

test('what is so counts from when it was first said, all of it from the last part, and anew after a break', async () => {
  const clock = new FakeClock()
  const since = sinceWhen(clock)
  assert.equal(since.note('west', ['a']), 0)
  await clock.advance('10s')
  assert.equal(since.note('west', ['a']), 10_000)
  assert.equal(since.note('east', ['a']), 0)
  assert.equal(since.note('west', ['a', 'b']), 0)
  await clock.advance('5s')
  assert.equal(since.note('west', ['a', 'b']), 5_000)
  assert.equal(since.note('west', ['a']), 15_000)
  assert.equal(since.note('west', ['b']), 0)
  assert.equal(since.note('west', []), Infinity)
  since.forget('west')
  assert.equal(since.note('west', ['b']), 0)
})
