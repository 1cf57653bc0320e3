import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { isRecordFull, noting } from './history.ts'
import { start } from './testing/builders.ts'

const after = (status: SessionStatus, count: number): SessionStatus => {
  let now = status
  for (let n = 0; n < count; n += 1) now = noting(now, start, { transition: 'approval-recorded', by: 'lead' })
  return now
}
const sequence = ({ history = [] }: SessionStatus) => [history.length, history[0]?.seq, history.at(-1)?.seq]

test('of what was told the newest hundred stay, and numbers go on', () => {
  const first = after({}, 100)
  assert.deepEqual(sequence(first), [100, 1, 100])
  assert.deepEqual(sequence(after({ ...first, told: 100 }, 1)), [100, 2, 101])
})

test('what nobody was told of yet stays beyond that, as far as the schema has room', () => {
  const waiting = after({ ...after({}, 100), told: 40 }, 80)
  assert.deepEqual(sequence(waiting), [140, 41, 180])
  assert.deepEqual(sequence(after(waiting, 500)), [200, 481, 680])
})

test('people wait while much of it is untold, and no longer once it is', () => {
  const full = after({}, 150)
  assert.deepEqual([isRecordFull(after({}, 149)), isRecordFull(full)], [false, true])
  assert.equal(isRecordFull({ ...full, told: 1 }), false)
})
