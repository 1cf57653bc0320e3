/** Who approves, how many must, and for how long. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Answer, BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const told = ({ status, body }: Answer) => [status, body.denialReason]

describe('approvals', needsControlPlane, () => {
  const suite = suiteScope()
  const limits = { perMinute: 100_000, burst: 10_000, requestsPerMinute: 10_000, reviewsPerSecond: 1_000_000 }
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, settings: { limits } })
  })
  const stateOf = async (name: string) => (await scene.session(name)).status?.state
  const made = (answer: Answer): string => {
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.metadata.name
  }
  const secondsBetween = (from: string | undefined, to: string | undefined) =>
    (new Date(to ?? '').getTime() - new Date(from ?? '').getTime()) / 1_000

  test('A49: nobody approves their own where that is blocked, by whatever name, and the escalation overrules the cluster', async () => {
    const blocked = { blockSelfApproval: true }
    const approvers = { users: ['dev@example.com', 'DEV@example.com', 'alias@example.com'], groups: ['leads'] }
    const self = { groups: ['devs', 'leads'] }
    const own = scene.person('dev@example.com', self)
    const loud = scene.person('DEV@example.com', self)

    const byEmail = await scene.story({ cluster: blocked, escalation: { approvers } })
    const first = made(await own.request(byEmail.cluster, byEmail.group))
    for (const person of [own, loud])
      assert.deepEqual(told(await person.act(first, 'approve')), [403, 'SELF_APPROVAL_BLOCKED'])
    assert.equal(await stateOf(first), 'Pending')

    // As the cluster knows them by another claim, and their mail address changed since.
    const renamed = scene.person('alias@example.com', {
      ...self,
      claims: { sub: 'id-of-dev@example.com', preferred_username: 'dev' },
    })
    for (const userIdentifierClaim of ['sub', 'preferred_username'] as const) {
      const story = await scene.story({ cluster: { ...blocked, userIdentifierClaim }, escalation: { approvers } })
      const session = made(await own.request(story.cluster, story.group))
      for (const person of [own, loud, renamed])
        assert.deepEqual(told(await person.act(session, 'approve')), [403, 'SELF_APPROVAL_BLOCKED'])
      assert.equal(await stateOf(session), 'Pending')
    }

    const lifted = await scene.story({ cluster: blocked, escalation: { approvers, blockSelfApproval: false } })
    const third = made(await own.request(lifted.cluster, lifted.group))
    assert.equal((await own.act(third, 'approve')).status, 200)
    const stricter = await scene.story({ escalation: { approvers, ...blocked } })
    const fourth = made(await own.request(stricter.cluster, stricter.group))
    assert.deepEqual(told(await own.act(fourth, 'approve')), [403, 'SELF_APPROVAL_BLOCKED'])
    const unblocked = await scene.story({ escalation: { approvers } })
    const fifth = made(await own.request(unblocked.cluster, unblocked.group))
    assert.equal((await own.act(fifth, 'approve')).status, 200)
  })

  test('A50: approvers are of the domains named, whole and in any case', async () => {
    const approvers = { groups: ['leads'] }
    const leads = { groups: ['leads'] }
    const { cluster, group, dev } = await scene.story({
      cluster: { allowedApproverDomains: ['corp.de'] },
      escalation: { approvers },
    })
    const session = made(await dev.request(cluster, group))
    for (const email of ['x@evilcorp.de', 'x@corp.de.evil.com', 'x@sub.corp.de'])
      assert.deepEqual(told(await scene.person(email, leads).act(session, 'approve')), [403, 'DOMAIN_NOT_ALLOWED'])
    assert.equal(await stateOf(session), 'Pending')
    assert.equal((await scene.person('x@CORP.DE', leads).act(session, 'approve')).status, 200)

    const narrower = await scene.story({
      cluster: { allowedApproverDomains: ['corp.de'] },
      escalation: { approvers, allowedApproverDomains: ['other.de'] },
    })
    const second = made(await narrower.dev.request(narrower.cluster, narrower.group))
    assert.deepEqual(told(await scene.person('x@corp.de', leads).act(second, 'approve')), [403, 'DOMAIN_NOT_ALLOWED'])
    assert.equal((await scene.person('x@other.de', leads).act(second, 'approve')).status, 200)
  })

  test('approvers come from the identity providers that the escalation names', async () => {
    const { issuer, provider } = await scene.another()
    const { cluster, group, dev } = await scene.story({
      escalation: {
        approvers: { users: ['lead@example.com'] },
        allowedIdentityProvidersForRequests: [scene.provider],
        allowedIdentityProvidersForApprovers: [provider],
      },
    })
    const session = made(await dev.request(cluster, group))
    const here = scene.person('lead@example.com')
    assert.deepEqual(told(await here.act(session, 'approve')), [403, 'IDP_NOT_ALLOWED'])
    assert.equal((await scene.person('lead@example.com', { issuer }).act(session, 'approve')).status, 200)
  })

  test('A79: two must approve who are neither the same nor whoever asked, and both are on record', async () => {
    const users = ['dev@example.com', 'lead@example.com', 'Lead@example.com', 'second@example.com']
    const { cluster, group, dev, lead } = await scene.story({ escalation: { approvers: { users }, minApprovals: 2 } })
    const session = made(await dev.request(cluster, group))
    assert.deepEqual(told(await dev.act(session, 'approve')), [403, 'SELF_APPROVAL_BLOCKED'])
    const one = await lead.act(session, 'approve', { reason: 'looks right' })
    assert.deepEqual([one.status, one.body.status.state], [200, 'Pending'])
    for (const person of [lead, scene.person('Lead@example.com')])
      assert.equal((await person.act(session, 'approve')).status, 409)
    assert.equal(await stateOf(session), 'Pending')
    const both = await scene.person('second@example.com').act(session, 'approve', { reason: 'indeed' })
    assert.deepEqual([both.status, both.body.status.state], [200, 'Approved'])
    const { status } = await scene.session(session)
    assert.deepEqual(status?.approvers, ['lead@example.com', 'second@example.com'])
    assert.deepEqual(
      status?.approvals?.map(({ reason }) => reason),
      ['looks right', 'indeed'],
    )
    assert.deepEqual([status?.approver, status?.approvalReason], ['second@example.com', 'indeed'])
  })

  test('two approvals at the same moment at two replicas both count', async () => {
    const users = ['lead@example.com', 'second@example.com']
    const { cluster, group, dev, lead } = await scene.story({ escalation: { approvers: { users }, minApprovals: 2 } })
    const session = made(await dev.request(cluster, group))
    const beside = await scene.beside()
    const headers = { authorization: `Bearer ${await scene.person('second@example.com').token()}` }
    const there = fetch(`${beside.url}/api/breakglassSessions/${session}/approve`, { method: 'POST', headers })
    const [here, other] = await Promise.all([lead.act(session, 'approve'), there])
    assert.deepEqual([here.status, other.status], [200, 200])
    assert.equal(await stateOf(session), 'Approved')
    await beside.stop()
  })

  test('A81: what is approved for less time lasts less, and nobody approves more than was asked', async () => {
    const { cluster, group, dev, lead } = await scene.story({ escalation: { maxValidFor: '8h' } })
    const session = made(await dev.request(cluster, group, { duration: 4 * 3_600 }))
    const more = await lead.act(session, 'approve', { duration: 4 * 3_600 + 1 })
    assert.equal(more.status, 422)
    assert.equal((await lead.act(session, 'approve', { duration: 59 })).status, 422)
    assert.equal(await stateOf(session), 'Pending')
    assert.equal((await lead.act(session, 'approve', { duration: 3_600 })).status, 200)
    const { status } = await scene.session(session)
    assert.deepEqual([status?.state, status?.grantedFor], ['Approved', '1h'])
    assert.equal(secondsBetween(status?.approvedAt, status?.expiresAt), 3_600)
    await timed.advance(new Date(status?.expiresAt ?? '').getTime() - timed.clock.now().getTime())
    await scene.reaches(session, 'Expired')
  })
})
