/** Who decides on sessions, what they must say, and what nobody else learns. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import type { Answer, BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const told = ({ status, body }: Answer) => [status, body.code]

describe('decisions on sessions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  const requested = async (story: Awaited<ReturnType<BreakglassScene['story']>>, more = {}) => {
    const made = await story.dev.request(story.cluster, story.group, more)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.metadata.name as string
  }

  test('A48: approvers by name or by group approve; others are refused before anything is told', async () => {
    const approvers = { users: ['lead@example.com'], groups: ['oncall'] }
    const story = await scene.story({ escalation: { approvers, maxValidFor: '2h' } })
    const name = await requested(story, { duration: 1_800 })
    const approved = await story.lead.act(name, 'approve', { reason: 'fine' })
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    const { status } = approved.body
    assert.deepEqual([status.state, status.approver, status.approvalReason], ['Approved', 'lead@example.com', 'fine'])
    assert.equal(Date.parse(status.expiresAt), Date.parse(status.approvedAt) + 1_800_000)
    assert.equal((await story.dev.act(name, 'drop')).status, 200)

    const second = await requested(story)
    const member = scene.person('member@example.com', { groups: ['oncall'] })
    const byGroup = await member.act(second, 'approve')
    assert.deepEqual([byGroup.status, byGroup.body.status.approver], [200, 'member@example.com'])

    // Whatever is sent, and whatever the state: the same answer, and nothing of the session in it.
    const stranger = scene.person('stranger@example.com', { groups: ['devs'] })
    const nobody = 'a-session-that-never-was-1'
    for (const action of ['approve', 'reject', 'cancel', 'review'])
      for (const at of [second, nobody])
        for (const body of [undefined, '{"reason":', { nonsense: 1 }, { reason: 'x' }]) {
          const refused = await stranger.act(at, action, body)
          assert.deepEqual([...told(refused), refused.body.denialReason], [403, 'FORBIDDEN', 'NOT_AN_APPROVER'])
          assert.doesNotMatch(JSON.stringify(refused.body), /Approved|dev@example|member@/)
        }
    for (const action of ['withdraw', 'drop', 'extend'])
      for (const at of [second, nobody])
        assert.deepEqual(told(await stranger.act(at, action, '{"x":')), [403, 'FORBIDDEN'])
    const [unseen, absent] = [
      await stranger.get(`/api/breakglassSessions/${second}`),
      await stranger.get(`/api/breakglassSessions/${nobody}`),
    ]
    assert.deepEqual(
      [told(unseen), told(absent)],
      [
        [403, 'FORBIDDEN'],
        [403, 'FORBIDDEN'],
      ],
    )
    assert.equal((await stranger.get('/api/breakglassSessions?mine=true&approver=true')).body.total, 0)
    assert.deepEqual((await stranger.get(`/api/breakglassSessions?token=${second}`)).body, { valid: false })
    assert.equal((await scene.session(second)).status?.state, 'Approved')
  })

  test('A51: a reason that must be given must be given, a body must be one, and what is done is done', async () => {
    const story = await scene.story({ escalation: { approvalReason: { mandatory: true } } })
    const name = await requested(story)
    for (const action of ['approve', 'reject']) {
      for (const body of [undefined, {}, { reason: '' }, { reason: '  ' }])
        assert.deepEqual(told(await story.lead.act(name, action, body)), [422, 'UNPROCESSABLE_ENTITY'])
      for (const body of ['{', '[]', 'null', '{"reason":"x"} x', { reason: 1 }, { other: 'x' }])
        assert.deepEqual(told(await story.lead.act(name, action, body)), [400, 'BAD_REQUEST'], JSON.stringify(body))
    }
    assert.equal((await scene.session(name)).status?.state, 'Pending')
    assert.equal((await story.lead.act(name, 'approve', { reason: 'fine' })).status, 200)
    const before = await scene.session(name)
    const again = await story.lead.act(name, 'approve', { reason: 'fine' })
    assert.deepEqual(told(again), [409, 'CONFLICT'])
    assert.equal(again.body.session.status.state, 'Approved')
    const after = await scene.session(name)
    assert.deepEqual(after.status?.history, before.status?.history)
    assert.equal(after.status?.expiresAt, before.status?.expiresAt)
    for (const action of ['withdraw', 'drop'])
      assert.deepEqual(told(await story.dev.act(name, action, {})), [400, 'BAD_REQUEST'], 'these take no body')
    const wrong = await story.dev.act(name, 'withdraw')
    assert.deepEqual(told(wrong), [400, 'BAD_REQUEST'])
    assert.equal(wrong.body.session.status.state, 'Approved')
  })

  test('who asked and who decides see a session, with what they may do', async () => {
    const story = await scene.story()
    const name = await requested(story, { reason: 'INC-1' })
    const look = async (person: typeof story.dev) => (await person.get(`/api/breakglassSessions/${name}`)).body
    const own = await look(story.dev)
    assert.equal(own.session.spec.requestReason, 'INC-1')
    assert.deepEqual(own.approvalMeta, {
      canApprove: false,
      canReject: true,
      isRequester: true,
      isApprover: false,
      denialReason: 'NOT_AN_APPROVER',
      sessionState: 'Pending',
      stateMessage: 'it waits for approval',
    })
    const theirs = await look(story.lead)
    assert.deepEqual(
      [theirs.approvalMeta.canApprove, theirs.approvalMeta.isRequester, theirs.approvalMeta.isApprover],
      [true, false, true],
    )
    assert.deepEqual((await story.lead.get(`/api/breakglassSessions?token=${name}`)).body, {
      valid: true,
      alreadyActive: false,
      canApprove: true,
    })
    await story.lead.act(name, 'approve')
    // Who approved once sees it, though they decide no more.
    const escalations = scene.admin.of(BreakglassEscalation.resource, scene.namespace)
    const approvers = { users: ['new-lead@example.com'] }
    await escalations.patch(story.escalation, { type: 'merge', body: { spec: { approvers } } })
    await eventually('the new lead sees it', async () => {
      const answer = await scene.person('new-lead@example.com').get(`/api/breakglassSessions/${name}`)
      return answer.status === 200
    })
    const past = await story.lead.get(`/api/breakglassSessions/${name}`)
    assert.deepEqual([past.status, past.body.approvalMeta.isApprover], [200, false])
    assert.deepEqual(told(await story.lead.act(name, 'cancel')), [403, 'FORBIDDEN'])
    const listed = await story.lead.get('/api/breakglassSessions?approvedByMe=true&state=active')
    assert.ok(listed.body.items.some((item: { metadata: { name: string } }) => item.metadata.name === name))
  })

  test('lists are filtered, come in pages, and say what is not a filter', async () => {
    const stories = [await scene.story(), await scene.story(), await scene.story()]
    const names: string[] = []
    for (const story of stories) names.push(await requested(story))
    const [first, , third] = stories
    const lister = scene.person('dev@example.com', { groups: ['devs'] })
    const list = async (query: string) => (await lister.get(`/api/breakglassSessions?${query}`)).body
    const named = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name)
    await eventually('the list has them', async () => named(await list('mine=true')).includes(names.at(-1) ?? ''))
    assert.deepEqual(named(await list(`mine=true&cluster=${first?.cluster}`)), [names[0]])
    assert.deepEqual(named(await list(`mine=true&group=${third?.group}&state=pending,approved`)), [names[2]])
    assert.deepEqual(named(await list(`mine=true&group=${third?.group}&state=expired&state=rejected`)), [])
    assert.deepEqual(named(await list(`mine=true&group=${third?.group}&activeOnly=true`)), [])
    assert.deepEqual(named(await list('user=dev@example.com')), [], 'without `mine`: what they decide on')
    const page = await lister.get('/api/breakglassSessions?mine=true&state=pending&pageSize=2')
    assert.equal(page.body.items.length, 2)
    assert.ok(page.body.total >= 3)
    const [, next] = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
    const rest = await lister.get(next ?? '')
    assert.equal(
      new Set([...named(page.body), ...named(rest.body)]).size,
      named(page.body).length + named(rest.body).length,
    )
    for (const query of ['state=sideways', 'colour=red', 'page=0', 'pageSize=x', 'mine=perhaps'])
      assert.deepEqual(told(await lister.get(`/api/breakglassSessions?${query}`)), [400, 'BAD_REQUEST'], query)
  })

  test('people see the escalations that are for them, without approvers that are hidden', async () => {
    const approvers = { users: ['lead@example.com', 'boss@example.com'], groups: ['oncall', 'secret-service'] }
    const hiddenFromUI = ['boss@example.com', 'secret-service']
    const story = await scene.story({ escalation: { approvers: { ...approvers, hiddenFromUI } } })
    const list = async (person: typeof story.dev, cluster = story.cluster) =>
      (await person.get(`/api/breakglassEscalations?cluster=${cluster}`)).body
    const { items, total } = await eventually('it is listed', () => list(story.dev), {
      until: (body) => body.total === 1,
    })
    assert.equal(total, 1)
    assert.equal(items[0].metadata.name, story.escalation)
    assert.deepEqual(items[0].spec.approvers, { users: ['lead@example.com'], groups: ['oncall'] })
    assert.doesNotMatch(JSON.stringify(items), /boss|secret-service/)
    assert.equal((await list(story.lead)).total, 0, 'who approves may not ask')
    assert.equal((await list(story.dev, 'elsewhere')).total, 0)
    const name = await requested(story)
    const hidden = scene.person('boss@example.com')
    assert.equal((await hidden.act(name, 'approve')).status, 200, 'who is hidden may approve all the same')
  })
})
