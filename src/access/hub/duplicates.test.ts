import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Session } from '../sessions/contract.ts'
import { isBetter, rivalOf } from './duplicates.ts'

const now = new Date('2026-05-01T10:00:00Z')
const session = (name: string, state: string, minute = 0, user = 'u'): Session =>
  ({
    metadata: {
      ...{ name, namespace: 'n', uid: name, resourceVersion: '1' },
      creationTimestamp: `2026-05-01T09:${String(minute).padStart(2, '0')}:00Z`,
    },
    spec: { cluster: 'c', user, grantedGroup: 'g', scheduledStartTime: '2026-05-01T10:30:00Z' },
    status: {
      state,
      timeoutAt: '2026-05-01T11:00:00Z',
      expiresAt: '2026-05-01T11:00:00Z',
      actualStartTime: '2026-05-01T09:00:00Z',
    },
  }) as Session

test('the further one is kept, then the older one, then the first by name', () => {
  const order = [
    session('z', 'Approved', 9),
    session('y', 'WaitingForScheduledTime', 8),
    session('x', 'Pending', 1),
    session('v', 'Pending', 2),
    session('w', 'Pending', 2),
    session('a', '', 0),
  ]
  for (const [index, one] of order.entries())
    for (const later of order.slice(index + 1)) {
      assert.ok(isBetter(one, later), `${one.metadata.name} before ${later.metadata.name}`)
      assert.ok(!isBetter(later, one))
    }
})

test('who has ended, or is of another slot, is no rival', () => {
  const mine = session('b', 'Pending', 5)
  assert.equal(rivalOf(mine, [mine], now), undefined)
  assert.equal(rivalOf(mine, [session('a', 'Expired')], now), undefined)
  assert.equal(rivalOf(mine, [session('a', 'Approved', 0, 'other')], now), undefined)
  assert.equal(rivalOf(mine, [session('a', 'Pending')], now)?.metadata.name, 'a')
  assert.equal(rivalOf(mine, [session('a', 'Pending')], new Date('2026-05-01T12:00:00Z')), undefined)
})

test('of any that live in one slot exactly one has no rival', () => {
  const states = fc.constantFrom('', 'Pending', 'WaitingForScheduledTime', 'Approved')
  const some = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), states, fc.integer({ min: 0, max: 3 })), {
    minLength: 1,
    maxLength: 8,
    selector: ([name]) => name,
  })
  fc.assert(
    fc.property(some, (parts) => {
      const all = parts.map(([name, state, minute]) => session(name, state, minute))
      assert.equal(all.filter((one) => rivalOf(one, all, now) === undefined).length, 1)
    }),
  )
})
