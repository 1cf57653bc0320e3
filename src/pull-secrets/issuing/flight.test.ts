import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flight } from './flight.ts'

test('who asks for the same meanwhile shares how it ends; others do not wait', async () => {
  const share = flight<number>()
  const first = Promise.withResolvers<number>()
  const leader = share('a', () => first.promise)
  const follower = share('a', async () => assert.fail('twice'))
  const other = share('b', async () => 2)
  assert.deepEqual([leader.isLeader, follower.isLeader, other.isLeader], [true, false, true])
  assert.equal(await other.outcome, 2)
  first.resolve(1)
  assert.deepEqual([await leader.outcome, await follower.outcome], [1, 1])
})

test('after it has ended, well or not, the next one begins anew', async () => {
  const share = flight<number>()
  const failed = [1, 2].map(() => share('a', async () => Promise.reject(new Error('no'))).outcome)
  for (const one of failed) await assert.rejects(one, /no/)
  assert.equal(await share('a', async () => 3).outcome, 3)
})
