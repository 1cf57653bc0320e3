/** More time for a running session. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('extensions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  const minutes = (from: string | undefined, to: string | undefined) =>
    (new Date(to ?? '').getTime() - new Date(from ?? '').getTime()) / 60_000
  const advanceTo = (time: string | undefined) =>
    timed.advance(Math.max(0, new Date(time ?? '').getTime() - timed.clock.now().getTime()))

  /** A session of ten minutes that runs, under an escalation that gives thirty. */
  async function running(escalation = {}) {
    const given = { maxValidFor: '30m', approvalTimeout: '5m', ...escalation }
    const story = await scene.story({ escalation: given })
    const { cluster, group, dev, lead } = story
    const { status, body } = await dev.request(cluster, group, { duration: 600 })
    assert.equal(status, 201, JSON.stringify(body))
    const name: string = body.metadata.name
    assert.equal((await lead.act(name, 'approve')).status, 200)
    return { ...story, name, session: () => scene.session(name) }
  }

  test('A80: more time is approved as the session was, never beyond what the escalation gives, and until then the old end holds', async () => {
    const { name, session, dev, lead } = await running({
      approvers: { users: ['dev@example.com', 'lead@example.com'], groups: ['leads'] },
      blockSelfApproval: true,
    })
    assert.equal((await lead.act(name, 'extend', { duration: 600 })).status, 403)
    const far = await dev.act(name, 'extend', { duration: 20 * 60 + 1 })
    assert.equal(far.status, 422, JSON.stringify(far.body))
    assert.equal((await dev.act(name, 'extend', { duration: 20 * 60, reason: 'not done' })).status, 200)
    const asked = await session()
    assert.equal(minutes(asked.status?.approvedAt, asked.status?.expiresAt), 10, 'the old end holds')
    const own = await dev.act(name, 'approve')
    assert.deepEqual([own.status, own.body.denialReason], [403, 'SELF_APPROVAL_BLOCKED'])
    assert.equal((await lead.act(name, 'approve', { reason: 'fine' })).status, 200)
    const extended = await session()
    assert.equal(minutes(extended.status?.approvedAt, extended.status?.expiresAt), 30)
    assert.deepEqual([extended.status?.state, extended.status?.extensions], ['Approved', 1])
    assert.equal((await dev.act(name, 'extend', { duration: 60 })).status, 422, 'once is enough')
  })

  test('one that nobody decides on times out, one that is refused is gone, and the session ends when it was to', async () => {
    const { name, session, dev, lead, cluster } = await running({ maxExtensions: 5 })
    await dev.act(name, 'extend', { duration: 600 })
    assert.equal((await lead.act(name, 'reject', { reason: 'no' })).status, 200)
    assert.equal((await session()).status?.state, 'Approved')
    await dev.act(name, 'extend', { duration: 600 })
    await advanceTo((await session()).status?.extension?.timeoutAt)
    await eventually('it is timed out', async () =>
      (await session()).status?.history?.some(({ transition }) => transition === 'extension-timed-out'),
    )
    assert.equal((await session()).status?.state, 'Approved')
    assert.equal((await lead.act(name, 'approve')).status, 409)
    await advanceTo((await session()).status?.expiresAt)
    assert.equal((await scene.ask(cluster, 'dev@example.com')).body.status.allowed, false)
    const { status } = await scene.reaches(name, 'Expired')
    const words = status?.history?.map(({ transition }) => transition)
    const twice = ['extension-requested', 'extension-rejected', 'extension-requested', 'extension-timed-out']
    assert.deepEqual(words, ['requested', 'approved', ...twice, 'expired'])
  })
})
