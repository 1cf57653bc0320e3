/** Access before anybody approved, and what comes after it. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import type { Answer, BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestSmtpServer } from '../../support/smtp-server.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

interface Told {
  transition: string
  audience: string
  session: { name: string; reviewDueAt?: string }
}

describe('emergencies', needsControlPlane, () => {
  const suite = suiteScope()
  const notices: Told[] = []
  let timed: TimedPlane
  let scene: BreakglassScene
  let smtp: TestSmtpServer
  before(async () => {
    timed = await timedPlane(suite)
    const server = createServer(async (request, response) => {
      notices.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
      response.end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    suite.after(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const notify = [{ name: 'everybody', kind: 'webhook' as const, url }]
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, settings: { notify } })
    smtp = await startSmtpServer(suite)
    const mail = { host: '127.0.0.1', port: smtp.port, certificateAuthority: smtp.caPem }
    await scene.admin.of(MailProvider.resource).create({
      metadata: { name: 'standard' },
      spec: { default: true, smtp: mail, sender: { address: 'lanyard@example.com' } },
    })
    await eventually('the hub has looked at it', async () => {
      const { status } = await scene.admin.of(MailProvider.resource).get('standard')
      return status?.conditions?.some(({ type }) => type === 'Healthy')
    })
  })
  const bypass = { emergencyBypass: { enabled: true, reviewWithin: '20m' }, maxValidFor: '10m', approvalTimeout: '10m' }
  const fire = { emergency: true, reason: 'the database burns' }
  const isCutOff = ({ status, body }: Answer) => status === 403 && /is not Ready/.test(body.detail)
  /**
   * Time that jumps cuts off the looks of the hub at its clusters, and who asks for one that is not Ready is refused. The
   * next look is due within two minutes of the hub's time; the test has ten before anything else is due.
   */
  const asksForFire = (person: TestPerson, { cluster, group }: { cluster: string; group: string }) =>
    eventually(
      'the cluster is Ready',
      async () => {
        const answer = await person.request(cluster, group, fire)
        if (isCutOff(answer)) await timed.clock.advance('1s')
        return answer
      },
      { until: (answer) => !isCutOff(answer), everyMs: 100 },
    )

  test('A82: access begins at once, every approver is told, a review is due, and while it is overdue there is no other', async () => {
    const plain = await scene.story()
    assert.equal(
      (await plain.dev.request(plain.cluster, plain.group, fire)).status,
      403,
      'only where it is provided for',
    )
    const approvers = { users: ['lead@example.com'], groups: ['leads', 'night'], hiddenFromUI: ['night'] }
    const story = await scene.story({
      escalation: { ...bypass, approvers, notificationExclusions: { groups: ['leads'] } },
    })
    const { cluster, group, dev, lead, escalation } = story
    // As group sync would have it, which this hub has no provider for.
    const members = { approverGroupMembers: { leads: ['ann@example.com'], night: ['bob@example.com'] } }
    await scene.admin
      .of(BreakglassEscalation.resource, scene.namespace)
      .patch(escalation, { type: 'merge', body: { status: members } }, { subresource: 'status' })
    assert.equal((await dev.request(cluster, group, { emergency: true })).status, 422, 'never without a reason')
    const asked = await dev.request(cluster, group, fire)
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    const { metadata, status } = await scene.session(asked.body.metadata.name)
    assert.deepEqual([status?.state, status?.approver], ['Approved', undefined])
    const dueMs = new Date(status?.review?.dueAt ?? '').getTime() - new Date(status?.actualStartTime ?? '').getTime()
    assert.equal(dueMs, 1_200_000)
    await eventually('it grants', async () => (await scene.ask(cluster, 'dev@example.com')).body.status.allowed)
    await eventually('approvers are told', () =>
      notices.some(({ transition, audience, session }) =>
        Boolean(transition === 'emergency' && audience === 'approvers' && session.name === metadata.name),
      ),
    )
    const alarmed = await eventually(
      'all approvers have mail',
      () => smtp.mails.filter(({ raw }) => raw.includes(metadata.name) && raw.includes('EMERGENCY')),
      { until: (mails) => mails.length >= 3 },
    )
    assert.deepEqual(
      alarmed.flatMap(({ to }) => to).sort(),
      ['ann@example.com', 'bob@example.com', 'lead@example.com'],
      'also those whom nobody sees, and those who want no mail',
    )

    await timed.advance(new Date(status?.expiresAt ?? '').getTime() - timed.clock.now().getTime())
    await scene.reaches(metadata.name, 'Expired')
    const second = await scene.story({ escalation: bypass })
    const before = await asksForFire(second.dev, second)
    assert.equal(before.status, 201, 'the review is not yet due')
    await second.dev.act(before.body.metadata.name, 'drop')
    await second.lead.act(before.body.metadata.name, 'review', { verdict: 'Justified' })

    await timed.advance(new Date(status?.review?.dueAt ?? '').getTime() - timed.clock.now().getTime())
    await eventually('it is told that the review is overdue', () =>
      notices.some(({ transition, session }) => transition === 'review-overdue' && session.name === metadata.name),
    )
    const blocked = await asksForFire(second.dev, second)
    assert.equal(blocked.status, 422, JSON.stringify(blocked.body))
    assert.match(blocked.body.detail, new RegExp(metadata.name))
    const other = scene.person('other@example.com', { groups: ['devs'] })
    assert.equal((await asksForFire(other, second)).status, 201, 'others are not')

    assert.equal((await dev.act(metadata.name, 'review', { verdict: 'Justified' })).status, 403)
    const reviewed = await lead.act(metadata.name, 'review', { verdict: 'Unjustified', comment: 'it was a candle' })
    assert.equal(reviewed.status, 200, JSON.stringify(reviewed.body))
    assert.equal(reviewed.body.status.review.reviewer, 'lead@example.com')
    assert.equal((await lead.act(metadata.name, 'review', { verdict: 'Justified' })).status, 409)
    assert.equal((await asksForFire(second.dev, second)).status, 201)
  })
})
