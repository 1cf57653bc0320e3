/** One session a cluster, user and group, however many ask at once and wherever; and what a new one looks like. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { sessionLabels } from '../../../src/access/names.ts'
import { standingOf } from '../../../src/access/sessions/index.ts'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import type { Checkpoint, CheckpointName } from '../../../src/core/checkpoint.ts'
import type { Answer, BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the slots of sessions', needsControlPlane, () => {
  const suite = suiteScope()
  const limits = { perMinute: 100_000, burst: 10_000, requestsPerMinute: 10_000, reviewsPerSecond: 1_000_000 }
  let timed: TimedPlane
  let scene: BreakglassScene
  let auditFile: string
  let at: Checkpoint = () => {}
  before(async () => {
    timed = await timedPlane(suite)
    auditFile = join(tempDir(suite), 'audit.log')
    const checkpoint = (name: CheckpointName) => at(name)
    scene = await breakglassScene(suite, timed.plane, {
      clock: timed.clock,
      settings: { limits, auditFile },
      checkpoint,
    })
  })
  const inSlot = async (group: string) =>
    (await scene.admin.of(BreakglassSession.resource).list()).items.filter(({ spec }) => spec.grantedGroup === group)
  const live = async (group: string) =>
    (await inSlot(group)).filter((session) => standingOf(session, timed.clock.now()).live)

  /** As `dev.request`, at another replica. */
  const requestAt = async (url: string, dev: TestPerson, body: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${await dev.token()}`, 'content-type': 'application/json' }
    const options = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/breakglassSessions`, options)
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }

  test('A44: whoever asks again gets the session there is, and of many requests at two replicas one makes it', async () => {
    const { cluster, group, dev, lead } = await scene.story({ escalation: { maxValidFor: '4h' } })
    const pending = await dev.request(cluster, group)
    assert.equal(pending.status, 201, JSON.stringify(pending.body))
    const name = pending.body.metadata.name
    const again = await dev.request(cluster, group)
    assert.deepEqual([again.status, again.body.session?.metadata.name], [409, name])
    assert.equal((await lead.act(name, 'approve')).status, 200)
    const approved = await dev.request(cluster, group)
    assert.deepEqual([approved.status, approved.body.session?.status.state], [409, 'Approved'])

    const later = await scene.story()
    const scheduledStartTime = new Date(timed.clock.now().getTime() + 1_800_000).toISOString()
    const waiting = await later.dev.request(later.cluster, later.group, { scheduledStartTime })
    await later.lead.act(waiting.body.metadata.name, 'approve')
    const third = await later.dev.request(later.cluster, later.group)
    assert.deepEqual([third.status, third.body.session?.status.state], [409, 'WaitingForScheduledTime'])

    const beside = await scene.beside()
    for (let round = 0; round < 3; round += 1) {
      const story = await scene.story()
      const asked = { cluster: story.cluster, group: story.group }
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => requestAt(index % 2 ? beside.url : scene.url, story.dev, asked)),
      )
      const made = answers.filter(({ status }) => status === 201)
      assert.deepEqual([made.length, answers.filter(({ status }) => status === 409).length], [1, 9])
      const names = new Set(answers.map(({ body }) => (body.session ?? body).metadata.name))
      assert.deepEqual([...names], [made[0]?.body.metadata.name], 'everybody is told of the same one')
      assert.equal((await inSlot(story.group)).length, 1)

      // And the next of the slot, when that one is gone.
      await story.dev.act([...names][0], 'withdraw')
      const next = await Promise.all([scene.url, beside.url].map((url) => requestAt(url, story.dev, asked)))
      assert.deepEqual(next.map(({ status }) => status).toSorted(), [201, 409])
      assert.equal((await live(story.group)).length, 1)
    }
    await beside.stop()
  })

  test('the same user has another group, and another user the same group, at the same time', async () => {
    const { cluster, group, dev } = await scene.story()
    const other = scene.person('other@example.com', { groups: ['devs'] })
    const second = await scene.escalation({
      escalatedGroup: uniqueName('group'),
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
    })
    const { spec } = await scene.admin.of(BreakglassEscalation.resource, scene.namespace).get(second)
    const answers = [
      await dev.request(cluster, group),
      await other.request(cluster, group),
      await dev.request(cluster, spec.escalatedGroup ?? ''),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    )
  })

  test('A47: a new session waits for approval, belongs to its escalation, keeps what that said, and is audited', async () => {
    const sink = { name: 'log', type: 'log' as const, log: {} }
    await scene.admin
      .of(AuditConfig.resource)
      .create({ metadata: { name: uniqueName('audit') }, spec: { sinks: [sink] } })
    const spec = {
      requestReason: { mandatory: true, description: 'which ticket' },
      approvalReason: { mandatory: false, description: 'how you know' },
      ...{ maxValidFor: '2h', retainFor: '48h', idleTimeout: '10m', denyPolicyRefs: [] },
    }
    const { cluster, group, escalation, dev } = await scene.story({ escalation: spec })
    const reason = 'INC-7: https://tickets/7#top <disk> „voll“'
    const asked = await dev.request(cluster, group, { reason, duration: 5_400 })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    const { metadata, spec: made, status } = await scene.session(asked.body.metadata.name)
    const now = timed.clock.now().getTime()
    assert.equal(status?.state, 'Pending')
    const timeoutAt = new Date(status?.timeoutAt ?? '').getTime()
    assert.ok(Math.abs(timeoutAt - now - 3_600_000) < 2_000, `${status?.timeoutAt} is an hour from now`)

    const owner = await scene.admin.of(BreakglassEscalation.resource, scene.namespace).get(escalation)
    const { uid, name } = owner.metadata
    assert.equal(metadata.namespace, owner.metadata.namespace)
    const [reference] = metadata.ownerReferences ?? []
    assert.deepEqual([reference?.uid, reference?.name, reference?.controller], [uid, name, true])
    assert.equal(metadata.labels?.[sessionLabels.cluster], cluster)
    assert.equal(made.requestReason, reason, 'not a character of it is lost')
    const { requestReasonConfig, approvalReasonConfig, maxValidFor, retainFor, idleTimeout, identityProviderName } =
      made
    assert.deepEqual([requestReasonConfig, approvalReasonConfig], [spec.requestReason, spec.approvalReason])
    assert.deepEqual([maxValidFor, retainFor, idleTimeout], ['1h30m', '48h', '10m'])
    assert.deepEqual([identityProviderName, made.identityProviderIssuer], [scene.provider, scene.issuer.issuer])

    await eventually('it is audited', async () => {
      const lines = (await readFile(auditFile, 'utf8').catch(() => '')).split('\n')
      return lines.some((line) => line.includes('session.requested') && line.includes(metadata.name))
    })
  })

  test('a hub that dies between the two writes of a request leaves a session that heals and grants nothing', async (t) => {
    t.after(() => {
      at = () => {}
    })
    const { cluster, group, dev, lead } = await scene.story()
    at = (name) => {
      if (name === 'access.session-made') throw new Error('killed')
    }
    assert.equal((await dev.request(cluster, group)).status, 500)
    at = () => {}
    const [left] = await inSlot(group)
    assert.ok(left)
    assert.equal(standingOf(left, timed.clock.now()).live, true, 'nobody else takes its slot')
    assert.equal((await dev.request(cluster, group)).status, 409)
    // A real API server stamps by a clock of its own, which may be ahead of ours.
    const madeAt = new Date(left.metadata.creationTimestamp ?? '').getTime()
    await timed.advance(10_000 + Math.max(0, madeAt - timed.clock.now().getTime()))
    const healed = await scene.reaches(left.metadata.name, 'Pending')
    assert.ok(healed.status?.timeoutAt)
    assert.equal((await lead.act(left.metadata.name, 'approve')).status, 200)
  })
})
