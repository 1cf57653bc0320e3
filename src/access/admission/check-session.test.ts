import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession, SessionSpec, SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { sessionLabels } from '../names.ts'
import type { Escalation, Session } from '../sessions/contract.ts'
import { slotOf } from '../sessions/slot.ts'
import type { SessionFacts } from './check-session.ts'
import { leadsNowhereMistakes, madeByHandMistakes, sessionMistakes } from './check-session.ts'
import { statusMistakes } from './check-session-status.ts'

const now = new Date('2026-05-01T10:00:00Z')
const sample: SessionSpec = { cluster: 'prod', user: 'user@example.com', grantedGroup: 'cluster-admin' }
const meta = (name: string) => ({ metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: '1' } })
const escalation = (spec: Partial<EscalationSpec> = {}, name = 'e', isReady = true): Escalation =>
  ({
    ...meta(name),
    spec: {
      escalatedGroup: 'cluster-admin',
      allowed: { clusters: ['prod'] },
      approvers: { users: ['a@b.c'] },
      ...spec,
    },
    status: {
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', reason: 'a', message: '', lastTransitionTime: '' },
      ],
    },
  }) as Escalation
const stored = (name: string, status: SessionStatus = {}, spec = sample): Session => ({ ...meta(name), spec, status })
const facts = (changes: Partial<SessionFacts> = {}): SessionFacts => ({
  clusters: [meta('prod')],
  escalations: [escalation()],
  sessions: [],
  providers: [],
  now,
  ...changes,
})
const byHand = (
  spec: Partial<SessionSpec>,
  changes?: Partial<SessionFacts>,
  session: Partial<BreakglassSession> = {},
) => {
  const [given, known] = [{ ...session, spec: { ...sample, ...spec } }, facts(changes)]
  const astray = leadsNowhereMistakes(given, known)
  return (astray.length > 0 ? astray : madeByHandMistakes(given, known)).map(({ field }) => field)
}
const own = (spec: Partial<SessionSpec>, slackMs?: number) =>
  sessionMistakes({ spec: { ...sample, ...spec } }, now, slackMs).map(({ field }) => field)

test('the session that the description shows is taken where cluster and escalation are there', () => {
  assert.deepEqual(own({}), [])
  assert.deepEqual(byHand({}), [])
  assert.deepEqual(byHand({}, { clusters: [] }), ['spec.cluster'])
  assert.deepEqual(byHand({}, { clusters: [meta('prod'), meta('prod')] }), ['spec.cluster'])
  assert.deepEqual(byHand({}, { escalations: [] }), ['spec.grantedGroup'])
  assert.deepEqual(byHand({}, { escalations: [escalation({ allowed: { clusters: ['dev-*'] } })] }), [
    'spec.grantedGroup',
  ])
  assert.deepEqual(byHand({}, { escalations: [escalation({}, 'e', false)] }), ['spec.grantedGroup'])
  assert.deepEqual(byHand({ escalation: 'other' }), ['spec.grantedGroup'])
})

test('A44a: a slot in which one lives takes no other', () => {
  const live = stored('s', { state: 'Pending', timeoutAt: '2026-05-01T11:00:00Z' })
  assert.deepEqual(byHand({}, { sessions: [live] }), ['spec'])
  assert.deepEqual(byHand({ user: 'other' }, { sessions: [live] }), [])
  assert.deepEqual(byHand({}, { sessions: [stored('s', { state: 'Expired' })] }), [])
  assert.deepEqual(byHand({}, { sessions: [stored('s', { state: 'Pending', timeoutAt: '2026-05-01T09:00:00Z' })] }), [])
})

test('who makes one by hand gets no more by it than at the API', () => {
  const strict = escalation({
    maxValidFor: '30m',
    idleTimeout: '5m',
    retainFor: '800h',
    minApprovals: 2,
    denyPolicyRefs: ['p'],
    approvalReason: { mandatory: true },
    requestReason: { mandatory: true },
  })
  assert.deepEqual(byHand({}, { escalations: [strict] }), [
    'spec.maxValidFor',
    'spec.idleTimeout',
    'spec.retainFor',
    'spec.minApprovals',
    'spec.denyPolicyRefs',
    'spec.approvalReasonConfig.mandatory',
    'spec.requestReason',
  ])
  const whole = {
    ...{ maxValidFor: '30m', idleTimeout: '5m', retainFor: '800h', minApprovals: 2, denyPolicyRefs: ['p'] },
    approvalReasonConfig: { mandatory: true },
    requestReason: 'INC-1',
  }
  assert.deepEqual(byHand(whole, { escalations: [strict] }), [])
  // Another escalation that leads there may ask for less.
  assert.deepEqual(byHand({}, { escalations: [strict, escalation({}, 'mild')] }), [])
  assert.deepEqual(byHand({ emergency: true }), ['spec.emergency'])
  assert.deepEqual(byHand({ allowIDPMismatch: true }), [], 'where users of any provider may ask')
  const ofOne = escalation({ allowedIdentityProviders: ['main'] })
  assert.deepEqual(byHand({ allowIDPMismatch: true }, { escalations: [ofOne] }), ['spec.allowIDPMismatch'])
})

test('an owner that has nothing to do with it does not decide on it', () => {
  const owned = (uid: string) => ({
    metadata: {
      ownerReferences: [{ apiVersion: 'a', kind: 'BreakglassEscalation', name: 'e', uid, controller: true }],
    },
  })
  assert.deepEqual(byHand({}, {}, owned('uid-e')), [])
  assert.deepEqual(byHand({}, {}, owned('uid-lax')), ['spec.grantedGroup'])
})

test('names, durations, schedules and the label are looked at whoever made it', () => {
  assert.deepEqual(own({ cluster: 'a,b' }), ['spec.cluster'])
  assert.deepEqual(own({ user: 'a\u0000b' }), ['spec.user'])
  assert.deepEqual(own({ grantedGroup: '' }), ['spec.grantedGroup'])
  assert.deepEqual(own({ maxValidFor: '0s' }), ['spec.maxValidFor'])
  assert.deepEqual(own({ scheduledStartTime: '2026-05-01T10:04:59Z' }), ['spec.scheduledStartTime'])
  assert.deepEqual(own({ scheduledStartTime: '2026-05-01T10:05:00Z' }), [])
  assert.deepEqual(own({ scheduledStartTime: '2026-05-01T10:04:59Z' }, 30_000), [])
  const labelled = (slot: string) =>
    sessionMistakes({ metadata: { labels: { [sessionLabels.slot]: slot } }, spec: sample }, now).length
  assert.deepEqual([labelled(slotOf(sample)), labelled('0123456789abcdef')], [0, 1])
})

const approval = (approver: string) => ({ approver, at: '2026-05-01T10:00:00Z' })
const granted: SessionStatus = {
  state: 'Approved',
  approvedAt: '2026-05-01T10:00:00Z',
  expiresAt: '2026-05-01T11:00:00Z',
  approvals: [approval('a@b.c')],
}
const writes = (before: SessionStatus, status: SessionStatus, spec: Partial<SessionSpec> = {}) =>
  statusMistakes(stored('s', status, { ...sample, ...spec }), stored('s', before)).map(({ field }) => field)

test('A55a: what ended stays ended', () => {
  for (const state of ['Rejected', 'Withdrawn', 'ApprovalTimeout', 'Expired', 'IdleExpired'] as const) {
    assert.deepEqual(writes({ state }, { ...granted }), ['status.state'])
    assert.deepEqual(writes({ state }, {}), ['status.state'])
    assert.deepEqual(writes({ state }, { state }), [])
    assert.deepEqual(writes({ state, reasonEnded: 'canceled' }, { state, reasonEnded: 'x' }), ['status.reasonEnded'])
  }
})

test('no grant without an approval on record, or a review', () => {
  const pending: SessionStatus = { state: 'Pending' }
  assert.deepEqual(writes(pending, granted), [])
  assert.deepEqual(writes(pending, { ...granted, approvals: [] }), ['status.approvals'])
  assert.deepEqual(writes(pending, granted, { minApprovals: 2 }), ['status.approvals'])
  const twice = { ...granted, approvals: [approval('a@b.c'), approval('A@B.C')] }
  assert.deepEqual(writes(pending, twice, { minApprovals: 2 }), ['status.approvals'])
  const { expiresAt: _, ...endless } = granted
  assert.deepEqual(writes(pending, endless), ['status.expiresAt'])
  assert.deepEqual(writes({}, granted), ['status.state'])
  assert.deepEqual(writes({}, granted, { emergency: true }), ['status.review'])
  assert.deepEqual(writes({}, { ...granted, review: { dueAt: '2026-05-04T10:00:00Z' } }, { emergency: true }), [])
})

test('counts and times do not go back, and what is known is not forgotten', () => {
  const used = { ...granted, activityCount: 5, lastActivity: '2026-05-01T10:30:00Z' }
  assert.deepEqual(writes(used, { ...used, activityCount: 6, lastActivity: '2026-05-01T10:31:00Z' }), [])
  assert.deepEqual(writes(used, { ...used, activityCount: 4 }), ['status.activityCount'])
  assert.deepEqual(writes(used, { ...used, lastActivity: '2026-05-01T10:29:00Z' }), ['status.lastActivity'])
  assert.deepEqual(writes(used, granted), ['status.lastActivity', 'status.activityCount', 'status.lastActivity'])
  assert.deepEqual(writes(granted, { state: 'Expired' }), ['status.approvedAt', 'status.expiresAt'])
})
