import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Session } from '../sessions/contract.ts'
import { standingOf } from '../sessions/standing.ts'
import { SessionRecord } from './session-record.ts'
import { aSession, at, start } from './testing/scene.ts'

const seconds = fc.integer({ min: -7_200, max: 7_200 })
const time = seconds.map(at)
const state = fc.constantFrom(
  'Approved',
  'Approved',
  'Pending',
  'WaitingForScheduledTime',
  'Expired',
  'IdleExpired',
  'Rejected',
  '',
)

const session: fc.Arbitrary<Session> = fc
  .record({
    spec: fc.record(
      {
        scheduledStartTime: time,
        idleTimeout: fc.constantFrom('1m', '10m', '2h', '0s', 'nonsense'),
        minApprovals: fc.constantFrom(1, 2),
      },
      { requiredKeys: [] },
    ),
    status: fc.record(
      {
        ...{ state, expiresAt: time, actualStartTime: time, approvedAt: time, lastActivity: time, timeoutAt: time },
        approvals: fc.subarray(['lead', 'other']).map((names) => names.map((approver) => ({ approver, at: at(0) }))),
      },
      { requiredKeys: ['state', 'approvals'] },
    ),
    deletionTimestamp: fc.option(time, { nil: undefined, freq: 1 }),
  })
  .map(({ spec, status, deletionTimestamp }) => {
    const made = aSession('one', spec)
    const metadata = {
      ...made.metadata,
      uid: 'u',
      resourceVersion: '1',
      ...(deletionTimestamp && { deletionTimestamp }),
    }
    return { ...made, metadata, status } as Session
  })

/** Whether time passes or jumps back, and whether it was used by then. */
const moments = fc.array(fc.record({ at: seconds, isUsed: fc.boolean() }), { minLength: 1, maxLength: 20 })

test('a record says at every moment what standingOf says', () => {
  fc.assert(
    fc.property(session, moments, (given, looks) => {
      let lastUsed: Date | undefined
      const record = new SessionRecord(given, {
        lastUsed: () => lastUsed,
        ownerOf: () => undefined,
        escalationsVersion: () => 0,
      })
      for (const look of looks) {
        const now = new Date(start.getTime() + look.at * 1_000)
        const standing = standingOf(given, now, lastUsed)
        const grants = record.grants(now)
        assert.equal(grants, standing.live && standing.grants)
        if (grants && look.isUsed && (!lastUsed || now > lastUsed)) lastUsed = now
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the first use gives an end to what nothing is on record of', () => {
  const made = aSession('one', { idleTimeout: '1m' })
  const status = { state: 'Approved', expiresAt: at(600), approvals: [{ approver: 'lead', at: at(0) }] }
  const given = { ...made, metadata: { ...made.metadata, uid: 'u', resourceVersion: '1' }, status } as Session
  let lastUsed: Date | undefined
  const record = new SessionRecord(given, {
    lastUsed: () => lastUsed,
    ownerOf: () => undefined,
    escalationsVersion: () => 0,
  })
  assert.equal(record.grants(new Date(at(0))), true)
  lastUsed = new Date(at(0))
  assert.deepEqual([record.grants(new Date(at(59))), record.grants(new Date(at(60)))], [true, false])
})

test('a group is tried as it is written, and with each prefix', () => {
  const made = aSession('one')
  const given = { ...made, metadata: { ...made.metadata, uid: 'u', resourceVersion: '1' } } as Session
  const record = new SessionRecord(given, {
    lastUsed: () => undefined,
    ownerOf: () => undefined,
    escalationsVersion: () => 0,
  })
  assert.deepEqual(record.groups([]), ['admins'])
  assert.deepEqual(record.groups(['oidc:', 'kc:', '']), ['admins', 'oidc:admins', 'kc:admins'])
})
