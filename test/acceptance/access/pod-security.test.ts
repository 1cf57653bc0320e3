/** What may be done to a pod, by what the pod may do. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import type { PodSecurityRules } from '../../../src/apis/breakglass/pod-security-fields.ts'
import { namespaces, pods, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const dev = 'dev@example.com'
const harmless: Container = { name: 'web', image: 'none', securityContext: { runAsNonRoot: true } }
const privileged: Container = { ...harmless, securityContext: { privileged: true } }
const blocking: PodSecurityRules = {
  ...{ riskFactors: {}, blockFactors: ['privilegedContainer'] },
  thresholds: [{ maxScore: 1_000, action: 'allow' }],
}

describe('pod security', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let namespace: string
  let group: string
  let [asker, lead]: TestPerson[] = []
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
    namespace = uniqueName('team')
    await scene.admin.of(namespaces).create({ metadata: { name: namespace, labels: { tier: 'lab' } } })
    await eventually('there is an account', () => scene.admin.of(serviceAccounts, namespace).find('default'))
    group = await scene.groupMay([
      { apiGroups: [''], resources: ['pods/exec', 'pods/attach', 'pods/portforward'], verbs: ['create'] },
    ])
    ;[asker, lead] = [scene.person(dev, { groups: ['devs'] }), scene.person('lead@example.com')]
  })

  const pod = async (name: string, spec: Partial<PodSpec> = {}) => {
    const made = { containers: [harmless], automountServiceAccountToken: false, ...spec }
    await scene.admin.of(pods, namespace).create({ metadata: { name }, spec: made })
  }
  /** A cluster with a session on it, by an escalation of its own. */
  const granted = async (more: object = {}) => {
    const cluster = await scene.cluster()
    await scene.escalation({
      escalatedGroup: group,
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
      ...more,
    })
    const { status, body } = await asker!.request(cluster, group)
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal((await lead!.act(body.metadata.name, 'approve')).status, 200)
    return cluster
  }
  const told = async (cluster: string, name: string, subresource = 'exec') =>
    (await scene.ask(cluster, dev, { verb: 'create', resource: 'pods', subresource, namespace, name })).body.status
  const answer = async (cluster: string, name: string, subresource?: string) => {
    const { allowed, denied } = await told(cluster, name, subresource)
    return allowed ? 'allowed' : denied ? 'denied' : 'no opinion'
  }
  const becomes = (wanted: string, cluster: string, name: string) =>
    eventually(`${name} is ${wanted}`, () => answer(cluster, name), { until: (found) => found === wanted })

  test('a privileged pod is denied, one that cannot be read as failMode says, and exempt ones pass', async () => {
    await pod('weak')
    await pod('strong', { containers: [privileged] })
    const cluster = await granted()
    for (const name of ['weak', 'strong', 'gone']) await becomes('allowed', cluster, name)
    const appliesTo = { clusters: [cluster] }
    const name = await scene.policy({ appliesTo, podSecurityRules: blocking })
    await becomes('denied', cluster, 'strong')
    const { reason } = await told(cluster, 'strong')
    assert.ok(reason.includes(name) && reason.includes('privilegedContainer:web'), reason)
    assert.deepEqual(
      [
        await answer(cluster, 'weak'),
        await answer(cluster, 'gone'),
        await answer(cluster, 'strong', 'attach'),
        await answer(cluster, 'strong', 'portforward'),
      ],
      ['allowed', 'denied', 'denied', 'denied'],
    )
    const of = scene.admin.of(DenyPolicy.resource)
    const change = (rules: Partial<PodSecurityRules>) =>
      of.patch(name, { type: 'merge', body: { spec: { podSecurityRules: rules } } })
    await change({ failMode: 'open' })
    await becomes('allowed', cluster, 'gone')
    assert.equal(await answer(cluster, 'strong'), 'denied')
    await change({ exemptions: { namespaces: { selectorTerms: [{ matchLabels: { tier: 'lab' } }] } } })
    await becomes('allowed', cluster, 'strong')
    await of.delete(name)
  })

  test('settings of the pod, all capabilities and init containers count, each by its weight', async () => {
    const root: Container = { name: 'web', image: 'none' }
    await pod('pod-root', { containers: [root], securityContext: { runAsUser: 0 } })
    await pod('pod-user', { containers: [root], securityContext: { runAsUser: 7 } })
    const all = { ...harmless, name: 'init', securityContext: { runAsNonRoot: true, capabilities: { add: ['ALL'] } } }
    await pod('all-caps', { initContainers: [all] })
    const cluster = await granted()
    await becomes('allowed', cluster, 'pod-root')
    const name = await scene.policy({
      appliesTo: { clusters: [cluster] },
      podSecurityRules: {
        riskFactors: { runAsRoot: 30, capabilities: { SYS_ADMIN: 50, NET_ADMIN: 10 } },
        thresholds: [
          { maxScore: 20, action: 'allow' },
          { maxScore: 40, action: 'deny', reason: '{{.Pod}} scores {{.Score}}: {{.Factors}}' },
        ],
      },
    })
    await becomes('denied', cluster, 'pod-root')
    assert.match((await told(cluster, 'pod-root')).reason, /pod-root scores 30: runAsRoot:web/)
    assert.match((await told(cluster, 'all-caps')).reason, /risk score of 60/)
    assert.equal(await answer(cluster, 'pod-user'), 'allowed')
    await scene.admin.of(DenyPolicy.resource).delete(name)
  })

  test('an escalation may let its sessions through where it says so', async () => {
    const names = ['over', 'outside']
    for (const name of names) await pod(name, { containers: [privileged] })
    const overrides = { enabled: true, exemptFactors: ['privilegedContainer'] }
    const cluster = await granted({ podSecurityOverrides: overrides })
    const outside = await granted({ podSecurityOverrides: { ...overrides, namespaceScope: { patterns: ['other-*'] } } })
    const name = await scene.policy({ appliesTo: { clusters: [cluster, outside] }, podSecurityRules: blocking })
    await becomes('denied', outside, 'outside')
    await becomes('allowed', cluster, 'over')
    // Whoever has no session learns that this escalation would let them through, and that the other would not.
    const second = scene.person('second@example.com', { groups: ['devs'] })
    const offers = async (on: string, target: string) => {
      const query = `cluster=${on}&verb=create&resource=pods&subresource=exec&namespace=${namespace}&name=${target}`
      const { body } = await second.get(`/api/explain?${query}`)
      return [body.decision.verdict, body.escalations.length]
    }
    assert.deepEqual(await offers(cluster, 'over'), ['denied', 1])
    assert.deepEqual(await offers(outside, 'outside'), ['denied', 0])
    await scene.admin.of(DenyPolicy.resource).delete(name)
  })
})
