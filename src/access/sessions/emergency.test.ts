import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { emergency } from './beginning.ts'
import type { Action, Session } from './contract.ts'
import { dueAt, isReviewOverdue } from './elapsing.ts'
import { purgeAt } from './retention.ts'
import { standingOf } from './standing.ts'
import { anEscalation, aSession, at, dev, lead, text } from './testing/builders.ts'
import { play } from './testing/play.ts'

const threeDays = 72 * 3_600

function bypassing(spec = {}, escalation = anEscalation()): Session {
  const session = aSession(undefined, { emergency: true, requestReason: 'fire', ...spec })
  return { ...session, status: emergency(session, escalation, at(0)) }
}
const review = (by = lead, more = {}): Action => ({ do: 'review', by, verdict: 'Justified', ...more })

describe('access without approval', () => {
  test('begins at once, with nobody as approver and a review that is due', () => {
    const session = bypassing()
    const { state, approver, approvals, expiresAt, review: due, history } = session.status ?? {}
    assert.deepEqual([state, approver, approvals], ['Approved', undefined, undefined])
    assert.deepEqual([expiresAt, due], [text(3_600), { dueAt: text(threeDays) }])
    assert.deepEqual([history?.[0]?.transition, history?.[0]?.reason], ['emergency', 'fire'])
    assert.deepEqual(standingOf(session, at(1)), { live: true, grants: true, until: at(3_600) })
  })

  test('is reviewed as soon as the escalation wants it, and lasts no longer than it lets anybody', () => {
    const strict = anEscalation({ emergencyBypass: { enabled: true, reviewWithin: '8h' }, maxValidFor: '30m' })
    const { status } = bypassing({ maxValidFor: '1h' }, strict)
    assert.deepEqual([status?.review?.dueAt, status?.expiresAt], [text(8 * 3_600), text(1_800)])
  })

  test('that was only asked for and not begun waits for approval like any other', () => {
    const scene = play(aSession(undefined, { emergency: true }))
    scene.does(1, { do: 'elapse' })
    assert.equal(scene.status.state, 'Pending')
  })

  test('is reviewed by an approver, once, also after its end, and never by whoever had it', () => {
    const escalations = [anEscalation({ approvers: { users: ['dev@example.com', 'lead@example.com'] } })]
    const scene = play(bypassing(), { escalations })
    assert.equal(scene.does(1, review(dev)), 403)
    assert.equal(scene.does(3_600, { do: 'elapse' }), 'done')
    assert.equal(scene.does(4_000, review(lead, { verdict: 'Unjustified', comment: 'no fire' })), 'done')
    const { state, review: done, history } = scene.status
    const reviewed = {
      reviewedAt: text(4_000),
      reviewer: 'lead@example.com',
      verdict: 'Unjustified',
      comment: 'no fire',
    }
    assert.deepEqual([state, done], ['Expired', { dueAt: text(threeDays), ...reviewed }])
    assert.equal(history?.at(-1)?.reason, 'Unjustified: no fire')
    assert.equal(scene.does(4_001, review()), 409)
  })

  test('that was approved in the usual way has no review', () => {
    assert.equal(play(aSession({ state: 'Approved', expiresAt: text(60) })).does(1, review()), 400)
  })

  test('whose review is overdue is told of once, and is kept until somebody has done it', () => {
    const scene = play(bypassing())
    scene.does(3_600, { do: 'elapse' })
    assert.deepEqual(dueAt(scene.session), at(threeDays))
    assert.equal(scene.does(threeDays - 1, { do: 'elapse' }), 'same')
    assert.equal(scene.does(threeDays, { do: 'elapse' }), 'done')
    assert.equal(scene.does(threeDays + 1, { do: 'elapse' }), 'same')
    assert.deepEqual(scene.words, ['emergency', 'expired', 'review-overdue'])
    assert.equal(dueAt(scene.session), undefined)
    assert.equal(isReviewOverdue(scene.session, at(10 ** 7)), true)
    assert.equal(purgeAt(scene.session, false), undefined)
    scene.does(10 ** 7, review())
    assert.equal(isReviewOverdue(scene.session, at(10 ** 7)), false)
    assert.deepEqual(purgeAt(scene.session, false), at(3_600 + 720 * 3_600))
    assert.deepEqual(purgeAt(scene.session, true), at(3_600 + 720 * 3_600 + 60))
  })
})

test('what lives is never deleted', () => {
  for (const state of ['Pending', 'Approved', 'WaitingForScheduledTime'] as const)
    assert.equal(purgeAt(aSession({ state, retainedUntil: text(1) }), false), undefined)
  assert.equal(purgeAt(aSession(), false), undefined)
})
