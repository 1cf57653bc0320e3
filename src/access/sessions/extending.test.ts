import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { Action } from './contract.ts'
import { anEscalation, aSession, dev, lead, other, text } from './testing/builders.ts'
import { play } from './testing/play.ts'

const running: SessionStatus = {
  state: 'Approved',
  approvedAt: text(0),
  actualStartTime: text(0),
  expiresAt: text(3_600),
}
const extend = (seconds: number, more = {}): Action => ({ do: 'extend', by: dev, seconds, ...more })
const approve = (by = lead, more = {}): Action => ({ do: 'approve', by, ...more })

describe('more time for a running session', () => {
  test('is asked for by whoever runs it, and until it is approved the old end holds', () => {
    const scene = play(aSession(running))
    assert.equal(scene.does(100, { do: 'extend', by: lead, seconds: 600 }), 403)
    assert.equal(scene.does(100, extend(7_200, { reason: 'not done' })), 'done')
    assert.deepEqual([scene.status.expiresAt, scene.status.extension?.requestedFor], [text(3_600), '2h'])
    assert.equal(scene.status.extension?.timeoutAt, text(3_600), 'nobody approves what has ended')
    assert.equal(scene.does(101, extend(600)), 409)
    assert.equal(scene.does(102, approve()), 'done')
    assert.deepEqual([scene.status.expiresAt, scene.status.extensions], [text(10_800), 1])
    assert.equal(scene.status.extension, undefined)
    assert.deepEqual(scene.words, ['extension-requested', 'extended'])
    assert.equal(scene.does(103, approve()), 409)
  })

  test('never goes beyond what the escalation gives from the approval on', () => {
    const scene = play(aSession(running))
    assert.equal(scene.does(100, extend(3 * 3_600 + 1)), 422)
    assert.equal(scene.does(100, extend(59)), 422)
    assert.equal(scene.does(100, extend(3 * 3_600)), 'done')
    const shorter = [anEscalation({ maxValidFor: '2h' })]
    assert.equal(scene.does(101, approve(), { escalations: shorter }), 422)
    assert.equal(scene.does(102, approve(lead, { seconds: 3_600 }), { escalations: shorter }), 'done')
    assert.equal(scene.status.expiresAt, text(7_200))
  })

  test('is given as often as the escalation says, once where it says nothing', () => {
    const scene = play(aSession({ ...running, extensions: 1 }))
    assert.equal(scene.does(1, extend(600)), 422)
    assert.equal(scene.does(1, extend(600), { escalations: [anEscalation({ maxExtensions: 2 })] }), 'done')
    assert.equal(
      play(aSession(running)).does(1, extend(600), { escalations: [anEscalation({ maxExtensions: 0 })] }),
      422,
    )
  })

  test('needs as many approvals as the session did, and the least counts', () => {
    const scene = play(aSession(running, { minApprovals: 2 }))
    scene.does(1, extend(3_600))
    scene.does(2, approve(lead, { seconds: 1_800 }))
    assert.equal(scene.status.expiresAt, text(3_600))
    assert.equal(scene.does(3, approve()), 409)
    scene.does(4, approve(other))
    assert.equal(scene.status.expiresAt, text(5_400))
    assert.deepEqual(scene.words, ['extension-requested', 'approval-recorded', 'extended'])
  })

  test('that is refused, or that nobody decides on, leaves the session as it was', () => {
    const scene = play(aSession(running), { escalations: [anEscalation({ approvalTimeout: '5m' })] })
    scene.does(1, extend(600))
    assert.equal(scene.does(2, { do: 'reject', by: lead, reason: 'no' }), 'done')
    assert.deepEqual([scene.status.state, scene.status.expiresAt], ['Approved', text(3_600)])
    scene.does(10, extend(600))
    assert.equal(scene.status.extension?.timeoutAt, text(310))
    assert.equal(scene.does(310, approve()), 409, 'there is nothing to approve any more')
    assert.equal(scene.does(310, { do: 'elapse' }), 'done')
    assert.equal(scene.status.extension, undefined)
    const words = ['extension-requested', 'extension-rejected', 'extension-requested', 'extension-timed-out']
    assert.deepEqual(scene.words, words)
  })

  test('that whoever asked takes back is used up', () => {
    const scene = play(aSession(running), { escalations: [anEscalation({ maxExtensions: 2 })] })
    for (const [index, outcome] of (['done', 'done', 422] as const).entries()) {
      assert.equal(scene.does(10 * index, extend(600)), outcome)
      if (outcome === 'done') assert.equal(scene.does(10 * index + 1, { do: 'reject', by: dev }), 'done')
    }
  })

  test('is for sessions that run: not before, not after', () => {
    assert.equal(play(aSession({ state: 'Pending', timeoutAt: text(60) })).does(1, extend(600)), 400)
    assert.equal(play(aSession(running)).does(3_600, extend(600)), 400)
    assert.equal(play(aSession({ ...running, state: 'Expired' })).does(1, extend(600)), 400)
  })

  test('ends with the session', () => {
    const scene = play(aSession(running))
    scene.does(1, extend(600))
    scene.does(3_600, { do: 'elapse' })
    assert.deepEqual([scene.status.state, scene.status.extension], ['Expired', undefined])
  })

  test('has to be explained where access has', () => {
    const scene = play(aSession(running, { requestReasonConfig: { mandatory: true } }))
    assert.equal(scene.does(1, extend(600)), 422)
    assert.equal(scene.does(1, extend(600, { reason: 'still on it' })), 'done')
  })
})
