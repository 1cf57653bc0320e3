import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incumbent, Pulse } from './hub-second-agent.ts'
import { standingOf } from './hub-second-agent.ts'

/** Minutes after noon. */
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, 0) + minute * 60_000)

const a1: Incumbent = { agent: 'a1', certificateExpiresAt: at(60) }
const heard = (receivedAt?: number, renewedAt?: number): Pulse => ({
  receivedAt: receivedAt === undefined ? undefined : at(receivedAt),
  renewedAt: renewedAt === undefined ? undefined : at(renewedAt),
  leaseDurationMs: 60_000,
  graceMs: 300_000,
})
const asks = (agent: string, seenAt = 10) => ({ agent, seenAt: at(seenAt) })
const free = { standing: 'free' }

test('whoever asks for a cluster that nobody has joined is free to', () => {
  assert.deepEqual(standingOf(asks('a1'), undefined, heard(10, 10), at(10)), free)
})

test('another agent is the second while the first is heard of or its certificate is good', () => {
  const second = { standing: 'second', until: at(60) }
  for (const pulse of [heard(10, 10), heard(1, 1), heard()])
    assert.deepEqual(standingOf(asks('a2'), a1, pulse, at(10)), second)
  assert.deepEqual(standingOf(asks('a2'), a1, heard(59, 59), at(61)), { standing: 'second', until: at(64) })
  assert.deepEqual(standingOf(asks('a2'), a1, heard(59, 59), at(64)), free)
  assert.deepEqual(standingOf(asks('a2'), a1, heard(), at(60)), free)
})

test('another agent is the second as long as nobody knows when the certificate of the first ends', () => {
  const incumbent = { agent: 'a1', certificateExpiresAt: undefined }
  assert.deepEqual(standingOf(asks('a2'), incumbent, heard(), at(999)), { standing: 'second', until: undefined })
})

test('names of agents are compared whole', () => {
  assert.equal(standingOf(asks('a11'), a1, heard(10, 10), at(10)).standing, 'second')
})

test('the agent itself waits until its lease has been silent for one and a half durations', () => {
  assert.deepEqual(standingOf(asks('a1'), a1, heard(9.5, 9.5), at(10)), { standing: 'waits', until: at(11) })
  assert.deepEqual(standingOf(asks('a1'), a1, heard(9.5, 9.5), at(11)), free)
})

test('the agent itself need not wait for a lease that is stale or is not there', () => {
  assert.deepEqual(standingOf(asks('a1'), a1, heard(5, 5), at(10)), free)
  assert.deepEqual(standingOf(asks('a1'), a1, heard(), at(10)), free)
})

test('a renewal after it asked shows that it is a copy, until that lease is stale', () => {
  assert.deepEqual(standingOf(asks('a1'), a1, heard(10.5, 10.5), at(12)), { standing: 'second', until: at(15.5) })
  assert.deepEqual(standingOf(asks('a1'), a1, heard(10.5, 10.5), at(15.5)), free)
})

test('after a restart of the hub a lease counts as heard, but not as renewed', () => {
  assert.deepEqual(standingOf(asks('a1', 20), a1, heard(20), at(20)), { standing: 'waits', until: at(21.5) })
})

test('an agent that joined under a name nobody wrote down may be the one that asks', () => {
  const unknown = { agent: undefined, certificateExpiresAt: undefined }
  assert.equal(standingOf(asks('a1'), unknown, heard(10, 10), at(10)).standing, 'waits')
  assert.equal(standingOf(asks('a1'), unknown, heard(11, 11), at(11)).standing, 'second')
})
