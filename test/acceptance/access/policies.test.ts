/** Deny policies: what nobody may do, whatever a session or a role would let them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import type { DenyRule } from '../../../src/apis/breakglass/deny-rule-fields.ts'
import { namespaces, subjectAccessReviews } from '../../../src/kube/kinds.ts'
import type { AskedFor, BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { allow } from '../../support/webhook-scene.ts'
import { withoutPolicies } from '../../support/without-policies.ts'

const dev = 'dev@example.com'
const secrets: DenyRule = { verbs: ['*'], apiGroups: [''], resources: ['secrets'] }

type Story = Awaited<ReturnType<BreakglassScene['story']>>
interface Told {
  allowed: boolean
  denied?: boolean
  reason: string
}

describe('deny policies', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let areUnreadable = false
  before(async () => {
    timed = await timedPlane(suite)
    const kube = kubeClient(suite, timed.plane.connection())
    const hub = withoutPolicies(kube, () => areUnreadable)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, hub })
  })

  const approved = async ({ cluster, group, dev, lead }: Pick<Story, 'cluster' | 'group' | 'dev' | 'lead'>) => {
    const { status, body } = await dev.request(cluster, group)
    assert.equal(status, 201, JSON.stringify(body))
    const { name } = body.metadata
    assert.equal((await lead.act(name, 'approve')).status, 200)
    return name as string
  }
  const ask = async (cluster: string, asked: AskedFor = {}, user = dev): Promise<Told> =>
    (await scene.ask(cluster, user, { namespace: 'default', ...asked })).body.status ?? {
      allowed: false,
      reason: 'none yet',
    }
  const kind = ({ allowed, denied }: Told) => (allowed ? 'allowed' : denied ? 'denied' : 'no opinion')
  const becomes = (wanted: ReturnType<typeof kind>, cluster: string, asked?: AskedFor, user?: string) =>
    eventually(`it is ${wanted}`, () => ask(cluster, asked, user), { until: (told) => kind(told) === wanted })
  const drop = (name: string) => scene.admin.of(DenyPolicy.resource).delete(name)

  test('A68: what a policy forbids is denied although a session would allow it, and the lowest precedence is named', async () => {
    const story = await scene.story()
    const { cluster } = story
    await approved(story)
    await becomes('allowed', cluster)
    const appliesTo = { clusters: [cluster] }
    const late = await scene.policy({ appliesTo, rules: [secrets], precedence: 300 })
    const told = await becomes('denied', cluster)
    assert.ok(told.reason.includes(late), told.reason)
    const early = await scene.policy({ appliesTo, rules: [secrets], precedence: 2 })
    const other = await scene.policy({ appliesTo, rules: [{ ...secrets, resources: ['configmaps'] }], precedence: 1 })
    const again = await eventually('the other is named', () => ask(cluster), {
      until: ({ reason }) => reason.includes(early),
    })
    assert.deepEqual([kind(again), again.reason.includes(late), again.reason.includes(other)], ['denied', false, false])

    assert.equal(kind(await ask(cluster, {}, 'nobody@example.com')), 'denied', 'it is for everybody')
    assert.equal(kind(await ask(cluster, {}, 'system:serviceaccount:kube-system:x')), 'no opinion')
    for (const name of [late, early]) await drop(name)
    await becomes('allowed', cluster)
    await drop(other)
  })

  test('A68a: names, subresources, paths and lists of all namespaces are told apart', async () => {
    const { cluster } = await scene.story()
    const name = await scene.policy({
      appliesTo: { clusters: [cluster] },
      rules: [
        { ...secrets, resourceNames: ['db-*'] },
        { verbs: ['create'], apiGroups: [''], resources: ['pods'], subresources: ['exec', 'attach'] },
        { verbs: ['get'], nonResourceURLs: ['/metrics*'] },
        { ...secrets, resources: ['configmaps'], namespaces: { patterns: ['kube-*'] } },
      ],
    })
    const asked = async (more: AskedFor) => kind((await scene.ask(cluster, dev, more)).body.status)
    await becomes('denied', cluster, { name: 'db-1' })
    const pods = { verb: 'create', resource: 'pods', namespace: 'default', name: 'web' }
    assert.deepEqual(
      [
        await asked({ namespace: 'default', name: 'web' }),
        await asked({ namespace: 'default', verb: 'list' }),
        await asked({ ...pods, subresource: 'exec' }),
        await asked(pods),
        await asked({ path: '/metrics/cadvisor' }),
        await asked({ path: '/healthz' }),
        await asked({ resource: 'configmaps', namespace: 'kube-system' }),
        await asked({ resource: 'configmaps', namespace: 'default' }),
        await asked({ resource: 'configmaps', verb: 'list' }),
      ],
      [
        ...['no opinion', 'no opinion', 'denied', 'no opinion', 'denied', 'no opinion'],
        ...['denied', 'no opinion', 'denied'],
      ],
    )
    await drop(name)
  })

  test('A69: a policy for another cluster, tenant or session has no effect, and one that a session refers to holds for it alone', async () => {
    const story = await scene.story({ cluster: { tenant: 'acme' } })
    const elsewhere = await scene.story({ cluster: { tenant: 'globex' } })
    for (const each of [story, elsewhere]) await approved(each)
    const rules = [secrets]
    const made = [
      await scene.policy({ rules, appliesTo: { clusters: ['no-such-cluster'] } }),
      await scene.policy({ rules, appliesTo: { tenants: ['initech'] } }),
      await scene.policy({ rules, appliesTo: { clusters: [story.cluster], tenants: ['globex'] } }),
      await scene.policy({ rules, appliesTo: { sessions: ['no-such-session'] } }),
      await scene.policy({ rules: [{ ...secrets, resources: ['nodes'] }], appliesTo: { clusters: [story.cluster] } }),
    ]
    await becomes('denied', story.cluster, { resource: 'nodes' })
    for (const { cluster } of [story, elsewhere]) await becomes('allowed', cluster)
    made.push(await scene.policy({ rules, appliesTo: { tenants: ['globex'] } }))
    await becomes('denied', elsewhere.cluster)
    assert.equal(kind(await ask(story.cluster)), 'allowed')
    for (const name of made) await drop(name)

    const held = await scene.policy({ rules: [{ ...secrets, verbs: ['list'] }], appliesTo: { sessions: ['nobody'] } })
    const strict = await scene.story({ escalation: { denyPolicyRefs: [held] } })
    const { cluster } = strict
    await approved(strict)
    await becomes('allowed', cluster)
    const told = await ask(cluster, { verb: 'list' })
    assert.equal(kind(told), 'denied')
    assert.ok(told.reason.includes(held), told.reason)
    assert.equal(kind(await ask(cluster, { verb: 'list' }, 'nobody@example.com')), 'no opinion')
    assert.equal(kind(await ask(story.cluster, { verb: 'list' })), 'allowed', 'a session that does not refer to it')

    const lenient = await scene.groupMay([{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }])
    await scene.escalation({
      escalatedGroup: lenient,
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
    })
    const name = await approved({ ...strict, group: lenient })
    await becomes('allowed', cluster, { verb: 'list' })
    await scene.policy({ rules, appliesTo: { sessions: [name] } })
    const again = await becomes('denied', cluster, { verb: 'list' })
    assert.ok(again.reason.includes('olicy'), again.reason)
    assert.equal(kind(await ask(cluster)), 'allowed', 'the other session still grants what it may')
  })

  test('namespaces are selected by label, and without labels it is denied unless a pattern decides', async () => {
    const story = await scene.story()
    const { cluster, group } = story
    await approved(story)
    const [gold, plain] = [uniqueName('gold'), uniqueName('plain')]
    await scene.admin.of(namespaces).create({ metadata: { name: gold, labels: { tier: 'gold' } } })
    await scene.admin.of(namespaces).create({ metadata: { name: plain } })

    const user = uniqueName('hub-on-the-cluster')
    await allow(scene.admin, user, [
      { apiGroups: ['authorization.k8s.io'], resources: [subjectAccessReviews.plural], verbs: ['create'] },
    ])
    const certificate = await timed.plane.issueClientCertificate({ commonName: user })
    const blind = await scene.cluster({}, { kubeconfig: timed.plane.kubeconfig({ certificate }) })
    await scene.escalation({
      escalatedGroup: group,
      allowed: { clusters: [blind], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
    })
    await approved({ ...story, cluster: blind })
    for (const name of [cluster, blind]) await becomes('allowed', name, { namespace: plain })

    const selector = { patterns: ['kube-*'], selectorTerms: [{ matchLabels: { tier: 'gold' } }] }
    const patterns = { patterns: ['kube-*'] }
    const appliesTo = { clusters: [cluster, blind] }
    const byName = await scene.policy({ appliesTo, rules: [{ ...secrets, verbs: ['list'], namespaces: patterns }] })
    const byLabel = await scene.policy({ appliesTo, rules: [{ ...secrets, verbs: ['get'], namespaces: selector }] })
    const denied = await becomes('denied', cluster, { namespace: gold })
    assert.ok(denied.reason.includes(byLabel), denied.reason)
    assert.equal(kind(await ask(cluster, { namespace: plain })), 'allowed')

    const unread = await becomes('denied', blind, { namespace: plain })
    assert.ok(unread.reason.includes(byLabel), unread.reason)
    assert.equal(kind(await ask(blind, { namespace: 'kube-system' })), 'denied')
    assert.equal(kind(await ask(blind, { verb: 'list', namespace: plain })), 'allowed', 'no labels are needed')
    const listed = await ask(blind, { verb: 'list', namespace: 'kube-system' })
    assert.deepEqual([kind(listed), listed.reason.includes(byName)], ['denied', true])

    const labels = { tier: 'gold' }
    await scene.admin.of(namespaces).patch(plain, { type: 'merge', body: { metadata: { labels } } })
    await becomes('denied', cluster, { namespace: plain })
    for (const name of [byName, byLabel]) await drop(name)
  })

  test('A77: when policies cannot be read, whoever holds a session is denied, or nobody, and system users never are', async () => {
    const story = await scene.story()
    const { cluster } = story
    await approved(story)
    await becomes('allowed', cluster)
    const system = 'system:serviceaccount:kube-system:deployment-controller'
    await scene.stop()
    areUnreadable = true
    try {
      await scene.start()
      await becomes('denied', cluster)
      assert.equal(kind(await ask(cluster, {}, 'nobody@example.com')), 'no opinion')
      assert.equal(kind(await ask(cluster, {}, system)), 'no opinion')
      scene.settings.onPolicyError = 'noOpinion'
      for (const user of [dev, 'nobody@example.com', system])
        assert.equal(kind(await ask(cluster, {}, user)), 'no opinion', user)
    } finally {
      scene.settings.onPolicyError = 'deny'
      areUnreadable = false
    }
    await eventually('they can be read again', async () => {
      await timed.clock.advance(1_000)
      return kind(await ask(cluster)) === 'allowed'
    })
  })
})
