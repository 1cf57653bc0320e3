import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passBy } from '../core/checkpoint.ts'
import { checkpointFrom } from './kill-at.ts'

test('without a setting every checkpoint is passed', () => {
  assert.equal(checkpointFrom(undefined), passBy)
  assert.equal(checkpointFrom(''), passBy)
})

test('the process ends at the named checkpoint and at no other, the time it is told', () => {
  let killed = 0
  const checkpoint = checkpointFrom('join.csr-created:2', () => {
    killed += 1
  })
  checkpoint('join.pending-saved')
  checkpoint('join.csr-created')
  assert.equal(killed, 0)
  checkpoint('join.csr-created')
  checkpoint('join.csr-created')
  assert.equal(killed, 1)
})

test('a name that is no checkpoint is refused: the test would prove nothing', () => {
  for (const wrong of ['join.csr', 'join.csr-created:0', 'join.csr-created:x'])
    assert.throws(() => checkpointFrom(wrong), { code: 'CHECKPOINT_UNKNOWN' })
})
