/** What time does to sessions, on the hub: nothing happens to them that is not due, and all that is. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { escalationMistakes } from '../../../src/access/admission/check-escalation.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import type { SessionSpec } from '../../../src/apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the life of sessions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  type Story = Awaited<ReturnType<BreakglassScene['story']>>
  const sessions = () => scene.admin.of(BreakglassSession.resource, scene.namespace)
  const requested = async ({ dev, cluster, group }: Story, more: object = {}): Promise<string> => {
    const { status, body } = await dev.request(cluster, group, more)
    assert.equal(status, 201, JSON.stringify(body))
    return body.metadata.name
  }
  const approved = async (story: Story, more: object = {}): Promise<string> => {
    const name = await requested(story, more)
    const { status, body } = await story.lead.act(name, 'approve')
    assert.equal(status, 200, JSON.stringify(body))
    return name
  }
  /** As kubectl would. */
  const byHand = async ({ cluster, group }: Story, more: Partial<SessionSpec> = {}) => {
    const spec = { cluster, user: 'dev@example.com', grantedGroup: group, ...more }
    return (await sessions().create({ metadata: { name: uniqueName('by-hand') }, spec })).metadata.name
  }
  const allowed = async ({ cluster }: Story) => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed
  const told = (name: string) =>
    eventually(`all of ${name} was told`, async () => {
      const { status } = await scene.session(name)
      return (status?.told ?? 0) >= (status?.history?.at(-1)?.seq ?? 1)
    })

  // First: a real API server dates what is made by hand itself, and its clock does not move with ours.
  test('one that is made by hand waits for approval like any other, in its slot', async () => {
    const story = await scene.story()
    const name = await byHand(story)
    const { metadata, status } = await scene.reaches(name, 'Pending')
    assert.ok(status?.timeoutAt)
    await eventually('it is labelled', async () => (await scene.session(name)).metadata.labels?.['lanyard.io/slot'])
    assert.equal((await story.dev.request(story.cluster, story.group)).status, 409)
    assert.equal((await story.lead.act(metadata.name, 'approve')).status, 200)
    await eventually('it grants', () => allowed(story))
  })

  test('of several in one slot the furthest is kept, then the oldest', async () => {
    const story = await scene.story()
    const kept = await approved(story)
    const late = await byHand(story)
    const ended = await scene.reaches(late, 'Expired')
    assert.equal(ended.status?.reasonEnded, 'duplicateCleanup')
    assert.equal((await scene.session(kept)).status?.state, 'Approved')

    const other = await scene.story()
    const [first, second] = [await byHand(other), await byHand(other)]
    await eventually('one is left', async () => {
      const states = await Promise.all([first, second].map(async (one) => (await scene.session(one)).status?.state))
      return states.toSorted().join() === 'Expired,Pending'
    })
  })

  test('A52: what nobody approved in time cannot be approved any more, and is put down as such', async () => {
    const story = await scene.story({ escalation: { approvalTimeout: '10m' } })
    const name = await requested(story)
    await timed.clock.advance('10m')
    for (const action of ['approve', 'reject']) assert.equal((await story.lead.act(name, action)).status, 400, action)
    const { status } = await scene.reaches(name, 'ApprovalTimeout')
    assert.equal(status?.reasonEnded, 'approvalTimeout')
    assert.deepEqual(
      status?.conditions?.filter(({ type }) => type === 'Expired').map(({ reason }) => reason),
      ['ApprovalTimeout'],
    )
    assert.equal((await story.lead.act(name, 'approve')).status, 400)
  })

  test('A52a: a hub that was down when it was due catches up', async () => {
    const story = await scene.story({ escalation: { approvalTimeout: '10m' } })
    const name = await requested(story)
    await scene.stop()
    await timed.clock.advance('11m')
    assert.equal((await scene.session(name)).status?.state, 'Pending')
    await scene.start()
    await scene.reaches(name, 'ApprovalTimeout')
  })

  test('A56: every use counts, idleness ends access at its moment, and less than API servers notice is refused', async () => {
    const story = await scene.story({ escalation: { idleTimeout: '2m' } })
    const escalations = scene.admin.of(BreakglassEscalation.resource, scene.namespace)
    const escalation = await escalations.get(story.escalation)
    // What the webhook of escalations asks; that an API server asks it: admission-kinds.
    const slow = { ...scene.settings, authorizedTtlMs: 31_000 }
    const fields = escalationMistakes(escalation, slow).map(({ field }) => field)
    assert.deepEqual([fields, escalationMistakes(escalation, scene.settings)], [['spec.idleTimeout'], []])
    const name = await approved(story)
    await eventually('it grants', () => allowed(story))
    await timed.advance('100s')
    await eventually('it grants still', () => allowed(story))
    const used = await eventually('the use is written down', async () => {
      await timed.clock.advance(1_000)
      const { status } = await scene.session(name)
      return status?.lastActivity !== undefined && (status.activityCount ?? 0) >= 2 && status
    })
    const usedAt = new Date(used.lastActivity ?? '').getTime()
    // Past the end that it would have had without that use.
    await timed.advance(usedAt + 119_000 - timed.clock.now().getTime())
    assert.equal((await scene.session(name)).status?.state, 'Approved')
    await timed.clock.advance('3s')
    assert.notEqual(await allowed(story), true)
    const { status } = await scene.reaches(name, 'IdleExpired')
    assert.equal(status?.reasonEnded, 'idleTimeout')
  })

  test('A57: what ended is kept for as long as was said, and what lives is not deleted', async () => {
    const story = await scene.story({ escalation: { retainFor: '1h', maxValidFor: '6h' } })
    const name = await requested(story)
    assert.equal((await story.dev.act(name, 'withdraw')).status, 200)
    const other = await scene.story({ escalation: { retainFor: '1m', maxValidFor: '6h' } })
    const live = await approved(other)
    const { status } = await scene.reaches(name, 'Withdrawn')
    await told(name)
    const until = new Date(status?.retainedUntil ?? '').getTime()
    assert.ok(Math.abs(until - timed.clock.now().getTime() - 3_600_000) < 60_000)
    await timed.advance('55m')
    assert.ok(await sessions().find(name))
    // With what the newest of a slot is kept for beyond that.
    await timed.advance('7m')
    await eventually('it is deleted', async () => (await sessions().find(name)) === undefined)
    assert.equal((await scene.session(live)).status?.state, 'Approved')
  })
})
