/** Policies about namespaces, and requests that name none: what the API server of a cluster really sends. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { DenyPolicy } from '../../../src/apis/breakglass/deny-policy.ts'
import type { DenyRule } from '../../../src/apis/breakglass/deny-rule-fields.ts'
import { KubeFailure } from '../../../src/kube/failures.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import type { Defined } from '../../support/custom-resources.ts'
import { define } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { allow } from '../../support/webhook-scene.ts'
import type { WebhookSpoke } from '../../support/webhook-spoke.ts'
import { webhookSpoke } from '../../support/webhook-spoke.ts'

const person = 'admin@example.com'
type Namespaces = NonNullable<DenyRule['namespaces']>

describe('policies about namespaces, asked without one', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: BreakglassScene
  let spoke: WebhookSpoke
  let them: Kube
  let [widgets, gadgets]: Defined[] = []
  before(async () => {
    const timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
    spoke = await webhookSpoke(suite, scene)
    them = await spoke.as(person)
    await allow(spoke.admin, person, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
    widgets = await define(suite, spoke.admin)
    gadgets = await define(suite, spoke.admin, { scope: 'Cluster' })
    await spoke.admin.of(secrets, 'default').create({ metadata: { name: 'database' } })
    await eventually('RBAC lets them do everything', () => answer('/api/v1/secrets'), { until: isAnswer('allowed') })
  })

  async function answer(path: string, method: 'GET' | 'DELETE' = 'GET'): Promise<string> {
    try {
      await them.request({ path, method })
      return 'allowed'
    } catch (error) {
      if (!(error instanceof KubeFailure)) throw error
      return error.code === 403 && error.message.includes('forbids this') ? 'denied' : `${error.code}`
    }
  }
  const isAnswer = (wanted: string) => (found: string) => found === wanted
  const becomes = (wanted: string, path: string, method?: 'GET' | 'DELETE') =>
    eventually(`${method ?? 'GET'} ${path} is ${wanted}`, () => answer(path, method), { until: isAnswer(wanted) })

  /** The hub knows the policy before the API server asks, which remembers answers for some seconds. */
  async function policy(namespaces: Namespaces): Promise<string> {
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces }]
    const name = await scene.policy({ appliesTo: { clusters: [spoke.cluster] }, rules })
    const asked = { verb: 'list', resource: 'configmaps', namespace: 'kube-system' }
    await eventually('the hub denies', async () => (await scene.ask(spoke.cluster, person, asked)).body.status?.denied)
    return name
  }

  for (const [what, namespaces] of [
    ['by name', { patterns: ['kube-*'] }],
    ['by label', { selectorTerms: [{ matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } }] }],
  ] satisfies [string, Namespaces][])
    test(`F6: a rule on all resources of namespaces ${what} denies what is asked of all namespaces, and leaves kinds that are in none`, async () => {
      const name = await policy(namespaces)
      const query = `limit=7&timeoutSeconds=1&resourceVersion=0`
      for (const path of [
        '/api/v1/secrets',
        `/api/v1/secrets?${query}`,
        `/api/v1/secrets?watch=true&${query}`,
        `/api/v1/watch/secrets?${query}`,
        '/api/v1/secrets?fieldSelector=metadata.namespace%3Ddefault',
        '/api/v1/secrets?fieldSelector=metadata.name%3Ddatabase',
        '/apis/apps/v1/deployments',
        '/apis/rbac.authorization.k8s.io/v1/rolebindings',
        widgets?.path() ?? '',
        `${widgets?.path()}?watch=true&${query}`,
        '/api/v1/namespaces/kube-system/configmaps',
        '/api/v1/namespaces/kube-system',
        '/api/v1/namespaces?fieldSelector=metadata.name%3Dkube-system',
        `/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dkube-system&${query}`,
        `/api/v1/watch/namespaces/kube-system?${query}`,
      ])
        await becomes('denied', path)
      await becomes('denied', '/api/v1/secrets', 'DELETE')
      await becomes('denied', widgets?.path() ?? '', 'DELETE')
      for (const path of [
        '/api/v1/namespaces/default/secrets',
        widgets?.path({ namespace: 'default' }) ?? '',
        '/api/v1/nodes',
        '/api/v1/namespaces',
        '/api/v1/namespaces?fieldSelector=metadata.name%3Ddefault',
        '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        '/apis/certificates.k8s.io/v1/certificatesigningrequests',
        gadgets?.path() ?? '',
      ])
        await becomes('allowed', path)
      assert.equal(await answer('/api/v1/nodes/none'), '404')
      await scene.admin.of(DenyPolicy.resource).delete(name)
      await becomes('allowed', `/api/v1/secrets?limit=8`)
    })

  test('F1c: nobody leaves the policies by the groups that they give themselves when they impersonate themselves', async () => {
    const name = await policy({ patterns: ['kube-*'] })
    const path = '/api/v1/namespaces/kube-system/configmaps'
    await becomes('denied', path)
    const certificate = await spoke.plane.issueClientCertificate({ commonName: person })
    for (const group of ['system:unauthenticated', 'system:serviceaccounts', 'system:nodes', 'ops']) {
      const headers = { 'impersonate-user': person, 'impersonate-group': group }
      const { code, text } = await rawRequest(spoke.plane, { path, headers, certificate })
      assert.deepEqual([code, text.includes('forbids this')], [403, true], `${group}: ${text}`)
    }
    await scene.admin.of(DenyPolicy.resource).delete(name)
  })
})
