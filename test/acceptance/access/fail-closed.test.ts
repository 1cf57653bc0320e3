/** What is decided where something that a policy looks at cannot be read. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { before, describe, test } from 'node:test'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import type { AskedFor, BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { answerAsApiServer, startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { withoutPolicies } from '../../support/without-policies.ts'

const dev = 'dev@example.com'
const harmless: Container = { name: 'web', image: 'none', securityContext: { runAsNonRoot: true } }
const privileged: Container = { ...harmless, securityContext: { privileged: true } }
const podSpecs = {
  weak: { containers: [harmless] },
  strong: { containers: [privileged] },
  debugged: { containers: [harmless], ephemeralContainers: [{ ...privileged, name: 'debugger' }] },
}

describe('what cannot be read', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let areUnreadable = false
  before(async () => {
    timed = await timedPlane(suite)
    const hub = withoutPolicies(kubeClient(suite, timed.plane.connection()), () => areUnreadable)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, hub })
  })

  const told = async (cluster: string, asked: AskedFor, user = dev) =>
    (await scene.ask(cluster, user, { namespace: 'team', ...asked })).body.status
  const answer = async (cluster: string, asked: AskedFor, user?: string) => {
    const { allowed, denied } = await told(cluster, asked, user)
    return allowed ? 'allowed' : denied ? 'denied' : 'no opinion'
  }
  const becomes = (wanted: string, cluster: string, asked: AskedFor) =>
    eventually(`${JSON.stringify(asked)} is ${wanted}`, () => answer(cluster, asked), {
      until: (found) => found === wanted,
    })
  const exec = (name: string): AskedFor => ({ verb: 'create', resource: 'pods', subresource: 'exec', name })

  test('A70: labels, policies and pods that cannot be read count as the policy says, and ephemeral containers count', async (t) => {
    const cluster = await granted(scene, await startClusterOf(t))
    for (const asked of [{}, exec('strong'), exec('debugged')]) await becomes('allowed', cluster, asked)
    const appliesTo = { clusters: [cluster] }
    const policies = scene.admin.of(DenyPolicy.resource)

    // Labels of namespaces: this cluster lets nobody read them.
    const rule = { apiGroups: [''], resources: ['secrets'] }
    const selectorTerms = [{ matchLabels: { tier: 'gold' } }]
    const byLabel = await scene.policy({
      appliesTo,
      rules: [{ ...rule, verbs: ['get'], namespaces: { selectorTerms } }],
    })
    await scene.policy({ appliesTo, rules: [{ ...rule, verbs: ['list'], namespaces: { patterns: ['kube-*'] } }] })
    await becomes('denied', cluster, {})
    assert.ok((await told(cluster, {})).reason.includes(byLabel))
    await becomes('denied', cluster, { verb: 'list', namespace: 'kube-system' })
    assert.equal(await answer(cluster, { verb: 'list' }), 'allowed', 'a pattern needs no labels')

    // Pods.
    const podSecurityRules = {
      ...{ riskFactors: {}, blockFactors: ['privilegedContainer' as const] },
      thresholds: [{ maxScore: 1_000, action: 'allow' as const }],
    }
    const byPod = await scene.policy({ appliesTo, podSecurityRules: { ...podSecurityRules, failMode: 'closed' } })
    await becomes('denied', cluster, exec('strong'))
    assert.match((await told(cluster, exec('strong'))).reason, /privilegedContainer:web/)
    assert.match((await told(cluster, exec('debugged'))).reason, /privilegedContainer:debugger/)
    assert.deepEqual(
      [await answer(cluster, exec('weak')), await answer(cluster, exec('unreadable'))],
      ['allowed', 'denied'],
    )
    const open = { spec: { podSecurityRules: { failMode: 'open' } } }
    await policies.patch(byPod, { type: 'merge', body: open })
    await becomes('allowed', cluster, exec('unreadable'))
    assert.equal(await answer(cluster, exec('strong')), 'denied')

    // The policies themselves.
    await scene.stop()
    areUnreadable = true
    await scene.start()
    await becomes('denied', cluster, exec('weak'))
    assert.equal(await answer(cluster, exec('weak'), 'nobody@example.com'), 'no opinion')
    scene.settings.onPolicyError = 'noOpinion'
    assert.equal(await answer(cluster, exec('weak')), 'no opinion')
    areUnreadable = false
    await eventually('they can be read again', async () => {
      await timed.clock.advance(1_000)
      return (await answer(cluster, exec('weak'))) === 'allowed'
    })
  })
})

/** A session of `dev` on a cluster that would allow everything. */
async function granted(scene: BreakglassScene, kubeconfig: string): Promise<string> {
  const cluster = await scene.cluster({}, { kubeconfig })
  const group = uniqueName('group')
  await scene.escalation({
    escalatedGroup: group,
    allowed: { clusters: [cluster], groups: ['devs'] },
    approvers: { users: ['lead@example.com'] },
  })
  const asked = await scene.person(dev, { groups: ['devs'] }).request(cluster, group)
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  assert.equal((await scene.person('lead@example.com').act(asked.body.metadata.name, 'approve')).status, 200)
  return cluster
}

/** A cluster that tells its pods and nothing of its namespaces; its kubeconfig. */
async function startClusterOf(t: TestScope): Promise<string> {
  const spoke = await startSpokeStandIn(t)
  const send = (response: ServerResponse, code: number, body: object) => {
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' }
  spoke.answer = (request, response) => {
    const { url = '' } = request
    const [, pod] = /\/namespaces\/team\/pods\/(\w+)/.exec(url) ?? []
    const metadata = { name: pod, namespace: 'team', uid: 'x', resourceVersion: '1' }
    const spec = podSpecs[pod as keyof typeof podSpecs]
    if (url.includes('/subjectaccessreviews'))
      send(response, 201, { kind: 'SubjectAccessReview', status: { allowed: true } })
    else if (spec) send(response, 200, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
    else if (url.includes('/namespaces')) send(response, 403, refusal)
    else answerAsApiServer(request, response)
  }
  return spoke.kubeconfig
}
