import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { Action } from './contract.ts'
import { aCluster, anEscalation, aPerson, aSession, dev, lead, other, text } from './testing/builders.ts'
import { play } from './testing/play.ts'

const elapse: Action = { do: 'elapse' }
const approve = (by = lead, more = {}): Action => ({ do: 'approve', by, ...more })
const fresh: SessionStatus = { state: 'Pending', timeoutAt: text(3_600) }
const conditionsOf = ({ conditions = [] }: SessionStatus) =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))

describe('a request', () => {
  test('that nobody has looked at becomes Pending, and its timeout counts from when it was made', () => {
    const scene = play(aSession(undefined, { requestReason: 'INC-1: disk <full>' }))
    assert.equal(scene.does(30, elapse), 'done')
    const { state, timeoutAt, history } = scene.status
    assert.deepEqual([state, timeoutAt], ['Pending', text(3_600)])
    const requested = {
      at: text(30),
      transition: 'requested',
      by: 'dev@example.com',
      reason: 'INC-1: disk <full>',
      seq: 1,
    }
    assert.deepEqual(history, [requested])
    assert.deepEqual(conditionsOf(scene.status), { Idle: 'True WaitingForApproval' })
    assert.equal(scene.does(31, elapse), 'same')
  })

  test('that nobody looked at for long times out in the next step', () => {
    const scene = play(aSession(), { escalations: [anEscalation({ approvalTimeout: '10m' })] })
    scene.does(4_000, elapse)
    assert.equal(scene.status.timeoutAt, text(600))
    scene.does(4_000, elapse)
    assert.equal(scene.status.state, 'ApprovalTimeout')
  })

  test('that is approved begins at once and lasts as long as was asked', () => {
    const scene = play(aSession(fresh, { maxValidFor: '2h' }))
    assert.equal(scene.does(60, approve(lead, { reason: 'go' })), 'done')
    const { state, approvedAt, actualStartTime, expiresAt, approver, approvers, approvalReason, timeoutAt } =
      scene.status
    assert.deepEqual([state, approvedAt, actualStartTime], ['Approved', text(60), text(60)])
    assert.deepEqual([expiresAt, timeoutAt, approvalReason], [text(7_260), undefined, 'go'])
    assert.deepEqual([approver, approvers], ['lead@example.com', ['lead@example.com']])
    assert.deepEqual(scene.words, ['approved'])
    assert.deepEqual(conditionsOf(scene.status), {
      Idle: 'False ApprovedByApprovers',
      Approved: 'True ApprovedByApprovers',
      Active: 'True ApprovedByApprovers',
    })
  })

  test('is approved once', () => {
    const scene = play(aSession(fresh))
    scene.does(1, approve())
    assert.equal(scene.does(2, approve(other)), 409)
    assert.equal(scene.does(2, approve()), 409)
  })

  test('is approved by those who may, and who may is looked at before what is', () => {
    const stranger = aPerson('stranger')
    assert.equal(play(aSession(fresh)).does(1, approve(stranger)), 403)
    assert.equal(play(aSession({ state: 'Expired' })).does(1, approve(stranger)), 403)
    assert.equal(play(aSession(fresh)).does(1, approve(), { clusters: [] }), 403)
    const moved = [anEscalation({ escalatedGroup: 'admins' })]
    assert.equal(play(aSession(fresh)).does(1, approve(), { escalations: moved }), 403)
  })

  test('that asks approvers why is neither approved nor rejected without an answer', () => {
    const scene = play(aSession(fresh, { approvalReasonConfig: { mandatory: true } }))
    assert.equal(scene.does(1, approve(lead, { reason: '  ' })), 422)
    assert.equal(scene.does(1, { do: 'reject', by: lead }), 422)
    assert.equal(scene.does(1, approve(lead, { reason: 'x'.repeat(501) })), 422)
    assert.equal(scene.does(1, approve(lead, { reason: '🔥'.repeat(500) })), 'done')
  })

  test('past its timeout is not decided on any more, and times out', () => {
    const scene = play(aSession(fresh))
    assert.equal(scene.does(3_600, approve()), 400)
    assert.equal(scene.does(3_600, { do: 'reject', by: lead }), 400)
    assert.equal(scene.does(3_600, elapse), 'done')
    assert.deepEqual([scene.status.state, scene.status.reasonEnded], ['ApprovalTimeout', 'approvalTimeout'])
    assert.equal(scene.status.retainedUntil, text(3_600 + 720 * 3_600))
    assert.equal(conditionsOf(scene.status)['Expired'], 'True ApprovalTimeout')
  })

  test('is rejected by an approver, or by whoever asked', () => {
    for (const by of [lead, dev]) {
      const scene = play(aSession(fresh))
      assert.equal(scene.does(5, { do: 'reject', by, reason: 'no' }), 'done')
      const { state, rejectedAt, reasonEnded, history } = scene.status
      assert.deepEqual([state, rejectedAt, reasonEnded], ['Rejected', text(5), 'rejected'])
      assert.deepEqual(history?.at(-1)?.reason, 'no')
    }
    assert.equal(play(aSession(fresh)).does(5, { do: 'reject', by: aPerson('stranger') }), 403)
  })
})

describe('more than one approval', () => {
  const two = { minApprovals: 2 }
  test('needs two people, neither of them whoever asked, and the least that anybody agreed to counts', () => {
    const escalations = [
      anEscalation({ approvers: { users: ['dev@example.com', 'lead@example.com', 'other@example.com'] } }),
    ]
    const scene = play(aSession(fresh, { ...two, maxValidFor: '4h' }), { escalations })
    assert.equal(scene.does(1, approve(dev)), 403)
    assert.equal(scene.does(2, approve(lead, { seconds: 3_600 })), 'done')
    assert.equal(scene.status.state, 'Pending')
    for (const again of [lead, { ...lead, subject: 'x' }, { ...lead, email: 'other@example.com' }])
      assert.equal(scene.does(3, approve(again)), 409)
    assert.equal(scene.does(4, approve(other, { seconds: 7_200 })), 'done')
    const { state, approvers, expiresAt, grantedFor, approvals } = scene.status
    assert.deepEqual([state, expiresAt, grantedFor], ['Approved', text(3_604), '1h'])
    assert.deepEqual(approvers, ['lead@example.com', 'other@example.com'])
    assert.deepEqual(
      approvals?.map(({ validFor }) => validFor),
      ['1h', '2h'],
    )
    assert.deepEqual(scene.words, ['approval-recorded', 'approved'])
  })

  test('is what the escalation says also where the session was made by hand without it', () => {
    const scene = play(aSession(fresh), { escalations: [anEscalation(two)] })
    scene.does(1, approve())
    assert.equal(scene.status.state, 'Pending')
  })
})

test('an approval for less time than was asked counts; for more, or for next to nothing, it is refused', () => {
  const scene = play(aSession(fresh, { maxValidFor: '4h' }))
  assert.equal(scene.does(0, approve(lead, { seconds: 4 * 3_600 + 1 })), 422)
  assert.equal(scene.does(0, approve(lead, { seconds: 59 })), 422)
  assert.equal(scene.does(0, approve(lead, { seconds: 3_600 })), 'done')
  assert.equal(scene.status.expiresAt, text(3_600))
})

test('nobody gets more than the escalation gives, whatever a session made by hand says', () => {
  const scene = play(aSession(fresh, { maxValidFor: '1000h' }))
  scene.does(0, approve())
  assert.equal(scene.status.expiresAt, text(4 * 3_600))
})

describe('a session for later', () => {
  const later = { scheduledStartTime: text(1_800), maxValidFor: '1h' }
  test('waits after it was approved, and begins when its time comes', () => {
    const scene = play(aSession(fresh, later))
    scene.does(60, approve())
    assert.deepEqual([scene.status.state, scene.status.expiresAt], ['WaitingForScheduledTime', text(5_400)])
    assert.equal(scene.status.actualStartTime, undefined)
    assert.equal(scene.does(1_799, elapse), 'same')
    assert.equal(scene.does(1_805, elapse), 'done')
    assert.deepEqual([scene.status.state, scene.status.actualStartTime], ['Approved', text(1_805)])
    assert.equal(scene.status.expiresAt, text(5_400), 'late as it began, it ends when it was to end')
    assert.deepEqual(scene.words, ['scheduled', 'activated'])
  })

  test('whose time went by while nobody was there never begins', () => {
    const scene = play(aSession(fresh, later))
    scene.does(60, approve())
    assert.equal(scene.does(5_400, elapse), 'done')
    assert.deepEqual(
      [scene.status.state, scene.status.reasonEnded],
      ['Expired', 'scheduledSessionExpiredBeforeActivation'],
    )
  })

  test('is not approved when its time is over', () => {
    const scene = play(aSession({ state: 'Pending' }, later))
    assert.equal(scene.does(5_400, approve()), 400)
    assert.equal(scene.does(5_399, approve()), 'done')
  })

  test('without a time ends', () => {
    const scene = play(aSession({ state: 'WaitingForScheduledTime', expiresAt: text(9_000) }))
    scene.does(1, elapse)
    assert.equal(scene.status.reasonEnded, 'missingScheduledStartTime')
  })
})

describe('a running session', () => {
  const running: SessionStatus = {
    state: 'Approved',
    approvedAt: text(0),
    actualStartTime: text(0),
    expiresAt: text(3_600),
  }
  test('expires', () => {
    const scene = play(aSession(running))
    assert.equal(scene.does(3_599, elapse), 'same')
    scene.does(3_601, elapse)
    assert.deepEqual([scene.status.state, scene.status.reasonEnded], ['Expired', 'timeExpired'])
    assert.equal(scene.status.expiresAt, text(3_600))
    assert.deepEqual(scene.words, ['expired'])
  })

  test('that is not used ends, and what was known of its use is on record', () => {
    const scene = play(aSession(running, { idleTimeout: '10m' }))
    assert.equal(scene.does(700, elapse, { lastActivity: new Date(text(200)) }), 'same')
    assert.equal(scene.does(800, elapse, { lastActivity: new Date(text(200)) }), 'done')
    const { state, reasonEnded, lastActivity } = scene.status
    assert.deepEqual([state, reasonEnded, lastActivity], ['IdleExpired', 'idleTimeout', text(200)])
  })

  test('is ended by the hub for what is not its fault', () => {
    const ends = [
      { do: 'end', why: 'clusterDeleted' },
      { do: 'end', why: 'duplicateCleanup', seen: aSession().metadata.resourceVersion },
    ] as const
    for (const end of ends)
      for (const status of [undefined, fresh, running]) {
        const scene = play(aSession(status))
        assert.equal(scene.does(9, end), 'done')
        assert.deepEqual([scene.status.state, scene.status.reasonEnded], ['Expired', end.why])
        assert.equal(scene.status.history?.at(-1)?.transition, 'ended')
        assert.equal(scene.does(10, end), 'same')
      }
  })

  test('is not ended for another one of its slot in a version that was not compared', () => {
    const scene = play(aSession(fresh))
    assert.equal(scene.does(9, { do: 'end', why: 'duplicateCleanup', seen: 'another' }), 'same')
  })
})

describe('who ends what', () => {
  const approved: SessionStatus = {
    state: 'Approved',
    approvedAt: text(0),
    actualStartTime: text(0),
    expiresAt: text(3_600),
  }
  const waiting: SessionStatus = { state: 'WaitingForScheduledTime', approvedAt: text(0), expiresAt: text(5_400) }
  const states = {
    Pending: fresh,
    Approved: approved,
    WaitingForScheduledTime: waiting,
    Expired: { state: 'Expired' },
  } as const
  const people = { dev, lead, stranger: aPerson('stranger') } as const
  type Row = [
    who: keyof typeof people,
    what: 'withdraw' | 'drop' | 'cancel',
    outcomes: Record<keyof typeof states, string | number>,
  ]
  const none = { Pending: 403, Approved: 403, WaitingForScheduledTime: 403, Expired: 403 }
  const rows: Row[] = [
    ['dev', 'withdraw', { Pending: 'Withdrawn withdrawn', Approved: 400, WaitingForScheduledTime: 400, Expired: 400 }],
    ['lead', 'withdraw', none],
    ['stranger', 'withdraw', none],
    [
      'dev',
      'drop',
      {
        Pending: 'Withdrawn withdrawn',
        Approved: 'Expired dropped',
        WaitingForScheduledTime: 'Expired dropped',
        Expired: 400,
      },
    ],
    ['lead', 'drop', none],
    ['stranger', 'drop', none],
    [
      'lead',
      'cancel',
      { Pending: 400, Approved: 'Expired canceled', WaitingForScheduledTime: 'Expired canceled', Expired: 400 },
    ],
    ['dev', 'cancel', none],
    ['stranger', 'cancel', none],
  ]
  for (const [who, what, outcomes] of rows)
    for (const [state, outcome] of Object.entries(outcomes))
      test(`${who} and ${what} of what is ${state}: ${outcome}`, () => {
        const scene = play(aSession(states[state as keyof typeof states], { scheduledStartTime: text(1_800) }))
        const done = scene.does(7, { do: what, by: people[who] })
        if (done !== 'done') return assert.deepEqual([done, scene.status.state], [outcome, state])
        assert.equal(`${scene.status.state} ${scene.status.reasonEnded}`, outcome)
        assert.equal(scene.status.expiresAt, state === 'Pending' ? undefined : text(7))
        assert.ok(scene.status.retainedUntil)
        assert.equal(scene.status.history?.at(-1)?.by, people[who].email)
      })

  test('what is over by the clock is over for everybody', () => {
    for (const what of ['withdraw', 'drop'] as const) {
      assert.equal(play(aSession(fresh)).does(3_600, { do: what, by: dev }), 400)
      assert.equal(play(aSession(approved)).does(3_600, { do: what, by: dev }), 400)
    }
    assert.equal(play(aSession(approved)).does(3_600, { do: 'cancel', by: lead }), 400)
  })

  test('one who asked and may approve cancels nothing where they may not approve their own', () => {
    const escalations = [anEscalation({ approvers: { users: ['dev@example.com'] } })]
    const clusters = [aCluster({ blockSelfApproval: true })]
    assert.equal(play(aSession(approved)).does(1, { do: 'cancel', by: dev }, { escalations, clusters }), 403)
  })
})
