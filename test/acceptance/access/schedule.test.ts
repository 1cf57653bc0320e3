/** Sessions that begin later. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('sessions for later', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  const advanceTo = (time: string | undefined) =>
    timed.advance(Math.max(0, new Date(time ?? '').getTime() - timed.clock.now().getTime()))

  /** Approved, for ten minutes from now. */
  async function scheduled() {
    const story = await scene.story({ escalation: { maxValidFor: '30m', approvalTimeout: '30m' } })
    const { cluster, group, dev, lead } = story
    const whole = new Date(Math.ceil(timed.clock.now().getTime() / 1_000) * 1_000 + 600_000)
    const scheduledStartTime = whole.toISOString().replace('.000', '')
    const { status, body } = await dev.request(cluster, group, { scheduledStartTime })
    assert.equal(status, 201, JSON.stringify(body))
    const name: string = body.metadata.name
    assert.equal((await lead.act(name, 'approve')).status, 200)
    const allowed = async () => (await scene.ask(cluster, 'dev@example.com')).body.status.allowed
    return { ...story, name, whole, allowed }
  }

  test('A53: what is approved for later grants nothing before, begins by itself, and ends when it was to end', async () => {
    const { name, whole, allowed } = await scheduled()
    const waiting = await scene.session(name)
    assert.deepEqual([waiting.status?.state, waiting.status?.actualStartTime], ['WaitingForScheduledTime', undefined])
    assert.equal(new Date(waiting.status?.expiresAt ?? '').getTime(), whole.getTime() + 1_800_000)
    assert.equal(await allowed(), false)
    await advanceTo(waiting.spec.scheduledStartTime)
    const { status } = await scene.reaches(name, 'Approved')
    assert.ok(new Date(status?.actualStartTime ?? 0) >= whole)
    assert.equal(status?.expiresAt, waiting.status?.expiresAt)
    // The hub may hear of its own write after us.
    await eventually('it grants', allowed)

    // Nobody is there while another's whole window goes by.
    const missed = await scheduled()
    await scene.stop()
    const end = (await scene.session(missed.name)).status?.expiresAt
    await advanceTo(end)
    await scene.start()
    const over = await scene.reaches(missed.name, 'Expired')
    assert.equal(over.status?.reasonEnded, 'scheduledSessionExpiredBeforeActivation')
    assert.equal(over.status?.actualStartTime, undefined)
    const words = over.status?.history?.map(({ transition }) => transition)
    assert.deepEqual(words, ['requested', 'scheduled', 'expired'])
    assert.equal(await missed.allowed(), false)
    await scene.reaches(name, 'Expired')
  })
})
