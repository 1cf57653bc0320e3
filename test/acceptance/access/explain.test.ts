/** `GET /api/explain`: what decides, and what would. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('explanations', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })

  test('A83: people learn what decides for them and what would allow it; approvers that of their clusters', async () => {
    const { cluster, group, escalation, dev, lead } = await scene.story()
    await scene.groupMay([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }], { group: 'oidc:devs' })
    const other = await scene.groupMay([{ apiGroups: [''], resources: ['services'], verbs: ['get'] }])
    const approvers = { users: ['lead@example.com'] }
    await scene.escalation({ escalatedGroup: other, allowed: { clusters: [cluster], groups: ['devs'] }, approvers })
    const why = async (person: typeof dev, query: string) =>
      await person.get(`/api/explain?cluster=${cluster}&namespace=default&${query}`)
    const secrets = 'verb=get&resource=secrets&name=x'
    const answered = async (query: string, isDone: (body: Answered) => boolean) =>
      (await eventually(query, () => why(dev, query), { until: ({ body }) => isDone(body as Answered) }))
        .body as Answered

    // Nothing allows it; one escalation would, and not the other.
    const before = await answered(secrets, ({ escalations }) => escalations?.length === 1)
    assert.equal(before.allowed, false)
    assert.deepEqual(
      [before.user, before.decision.verdict, before.rbac?.answer],
      ['dev@example.com', 'noOpinion', 'refused'],
    )
    assert.deepEqual(before.escalations, [{ name: escalation, group, maxValidFor: '1h', approvals: 1, verified: true }])
    const name = (await dev.request(cluster, group)).body.metadata.name
    const waiting = await answered(secrets, ({ sessions }) => sessions.length === 1)
    assert.deepEqual(
      [waiting.allowed, waiting.sessions[0]?.name, waiting.sessions[0]?.aside],
      [false, name, 'not-granting'],
    )
    await lead.act(name, 'approve')
    const after = await answered(secrets, ({ allowed }) => allowed)
    assert.deepEqual([after.by, after.decision.session?.name, after.escalations], ['session', name, []])
    assert.equal((await scene.session(name)).status?.activityCount ?? 0, 0, 'to ask is not to use')

    // The cluster's own rules, by the group that has them.
    const byRbac = await answered('verb=get&resource=configmaps', ({ allowed }) => allowed)
    assert.deepEqual([byRbac.by, byRbac.rbac], ['rbac', { answer: 'allowed', group: 'oidc:devs' }])

    // A policy forbids it, whatever anybody would grant.
    const policy = await scene.policy({
      appliesTo: { clusters: [cluster] },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }],
    })
    const denied = await answered(secrets, ({ decision }) => decision.verdict === 'denied')
    assert.deepEqual(
      [denied.allowed, denied.by, denied.decision.policy, denied.escalations],
      [false, 'policy', policy, []],
    )
    assert.deepEqual(
      denied.policies.map((hit) => hit.policy),
      [policy],
    )
    assert.deepEqual([denied.sessions[0]?.name, denied.sessions[0]?.aside], [name, 'policy'], 'it still runs')

    // Approvers of the cluster may ask about others; nobody else may.
    const asLead = await why(lead, `${secrets}&user=dev@example.com`)
    assert.deepEqual([asLead.status, asLead.body.user, asLead.body.sessions.length], [200, 'dev@example.com', 1])
    const stranger = scene.person('stranger@example.com', { groups: ['devs'] })
    assert.equal((await why(stranger, `${secrets}&user=dev@example.com`)).status, 403)
    assert.equal((await why(dev, `${secrets}&user=lead@example.com`)).status, 403)
    const elsewhere = await scene.story({ escalation: { approvers: { users: ['chief@example.com'] } } })
    const query = `cluster=${elsewhere.cluster}&user=dev@example.com&verb=get&resource=secrets`
    assert.equal((await lead.get(`/api/explain?${query}`)).status, 403, 'on clusters of others they approve nothing')
    // A name that somebody chose for themselves does not make them another.
    const impostor = scene.person('evil@example.com', { claims: { preferred_username: 'dev@example.com' } })
    const claimed = await why(impostor, `${secrets}&user=dev@example.com`)
    assert.deepEqual([claimed.body.user, claimed.body.sessions], ['evil@example.com', []])
  })

  test('what is no question is told as such', async () => {
    const { cluster, dev } = await scene.story()
    for (const query of [
      '',
      `cluster=${cluster}`,
      `cluster=${cluster}&verb=get`,
      `cluster=${cluster}&verb=get&resource=a&path=/b`,
    ])
      assert.equal((await dev.get(`/api/explain?${query}`)).status, 400, query)
    const missing = await dev.get('/api/explain?cluster=nowhere&verb=get&path=/healthz')
    assert.deepEqual([missing.status, missing.body.decision.source], [200, 'cluster-missing'])
  })
})

interface Answered {
  allowed: boolean
  by?: string
  user: string
  decision: { verdict: string; source: string; session?: { name: string }; policy?: string }
  sessions: { name: string; aside?: string }[]
  policies: { policy: string }[]
  rbac?: { answer: string; group?: string }
  escalations: { name: string }[]
}
