import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { standingOf } from './standing.ts'
import { aSession, at, text } from './testing/builders.ts'

const approval = (approver: string) => ({ approver, at: text(0) })
const running: SessionStatus = {
  ...{ state: 'Approved', actualStartTime: text(0), expiresAt: text(3_600) },
  approvals: [approval('lead@example.com')],
}

test('one that nobody has looked at lives and grants nothing', () => {
  assert.deepEqual(standingOf(aSession(), at(10 ** 6)), { live: true, grants: false })
})

test('one that waits for approval lives until its timeout and grants nothing', () => {
  const session = aSession({ state: 'Pending', timeoutAt: text(60), expiresAt: text(3_600) })
  assert.deepEqual(standingOf(session, at(59)), { live: true, grants: false, until: at(60) })
  assert.deepEqual(standingOf(session, at(60)), { live: false, ending: 'approvalTimeout' })
})

test('one that is approved grants until the instant it expires, whatever cleanup did', () => {
  assert.deepEqual(standingOf(aSession(running), at(3_599.999)), { live: true, grants: true, until: at(3_600) })
  assert.deepEqual(standingOf(aSession(running), at(3_600)), { live: false, ending: 'timeExpired' })
})

test('one whose approvals are not on record lives and grants nothing', () => {
  const silent = { live: true, grants: false, until: at(3_600) }
  const { approvals: _none, ...unapproved } = running
  assert.deepEqual(standingOf(aSession(unapproved), at(1)), silent)
  assert.deepEqual(standingOf(aSession(running, { minApprovals: 2 }), at(1)), silent)
  const twice = [approval('lead@example.com'), approval('Lead@Example.com')]
  assert.deepEqual(standingOf(aSession({ ...running, approvals: twice }, { minApprovals: 2 }), at(1)), silent)
  const review = { dueAt: text(7_200) }
  assert.deepEqual(standingOf(aSession({ ...unapproved, review }), at(1)), silent)
  assert.deepEqual(standingOf(aSession(unapproved, { emergency: true }), at(1)), silent)
  const bypassed = aSession({ ...unapproved, review }, { emergency: true })
  assert.deepEqual(standingOf(bypassed, at(1)), { ...silent, grants: true })
})

test('one that is approved without an end grants nothing', () => {
  const { expiresAt: _none, ...endless } = running
  assert.equal(standingOf(aSession(endless), at(1)).live, false)
  assert.equal(standingOf(aSession(endless, { idleTimeout: '10m' }), at(1)).live, false)
  assert.equal(standingOf(aSession({ ...running, expiresAt: 'never' }), at(1)).live, false)
})

test('a state that is an end outranks every time', () => {
  for (const state of ['Rejected', 'Withdrawn', 'ApprovalTimeout', 'Expired', 'IdleExpired'] as const) {
    const session = aSession({ ...running, state, reasonEnded: 'dropped' })
    assert.deepEqual(standingOf(session, at(1)), { live: false, ending: 'dropped' })
  }
})

test('one that is being deleted grants nothing', () => {
  const session = aSession(running)
  const going = { ...session, metadata: { ...session.metadata, deletionTimestamp: text(1) } }
  assert.equal(standingOf(going, at(2)).live, false)
})

test('one that waits for its time grants nothing even when it has come, until somebody activates it', () => {
  const spec = { scheduledStartTime: text(600) }
  const session = aSession({ state: 'WaitingForScheduledTime', expiresAt: text(4_200) }, spec)
  assert.deepEqual(standingOf(session, at(1)), { live: true, grants: false, until: at(600) })
  assert.deepEqual(standingOf(session, at(601)), { live: true, grants: false, until: at(600) })
  const missed = { live: false, ending: 'scheduledSessionExpiredBeforeActivation' }
  assert.deepEqual(standingOf(session, at(4_200)), missed)
  const timeless = aSession({ state: 'WaitingForScheduledTime', expiresAt: text(4_200) })
  assert.deepEqual(standingOf(timeless, at(1)), { live: false, ending: 'missingScheduledStartTime' })
  const early = aSession(running, spec)
  assert.deepEqual(standingOf(early, at(1)), { live: true, grants: false, until: at(600) })
})

test('idleness counts from the newest use, wherever that is known, and from the start', () => {
  const idle = (status: SessionStatus) => aSession({ ...running, ...status }, { idleTimeout: '10m' })
  assert.deepEqual(standingOf(idle({}), at(599)), { live: true, grants: true, until: at(600) })
  assert.deepEqual(standingOf(idle({}), at(600)), { live: false, ending: 'idleTimeout' })
  assert.deepEqual(standingOf(idle({ lastActivity: text(500) }), at(600)), {
    live: true,
    grants: true,
    until: at(1_100),
  })
  assert.equal(standingOf(idle({ lastActivity: text(500) }), at(1_199), at(600)).live, true)
  assert.equal(standingOf(idle({ lastActivity: text(500) }), at(1_200), at(600)).live, false)
  const used = standingOf(idle({ lastActivity: text(3_500) }), at(3_600))
  assert.deepEqual(used, { live: false, ending: 'timeExpired' })
})
