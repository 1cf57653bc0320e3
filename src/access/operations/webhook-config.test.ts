import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { isFailure } from '../../core/failure.ts'
import { parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import type { WebhookPlan } from './authorization-config.ts'
import { webhookFiles, webhookUrl } from './webhook-config.ts'

const plan: WebhookPlan = {
  cluster: 'west',
  url: 'https://lanyard.example.com',
  ca: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
  hubUser: 'hub "of" o\\ps',
  at: '/etc/kubernetes/lanyard',
  authorizedTtlMs: 10_000,
}
const text = (name: string, changes: Partial<WebhookPlan> = {}) =>
  webhookFiles({ ...plan, ...changes }).find((file) => file.name === name)?.text ?? ''
const config = (changes: Partial<WebhookPlan> = {}) => parse(text('authorization-config.yaml', changes))

test('policies are asked before RBAC, sessions after it', () => {
  const names = config().authorizers.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`)
  assert.deepEqual(names, ['Webhook lanyard-policies', 'Node node', 'RBAC rbac', 'Webhook breakglass'])
})

test('a webhook has every field that an API server wants', () => {
  const { matchConditions, ...webhook } = config().authorizers[3].webhook
  assert.deepEqual(webhook, {
    timeout: '3s',
    authorizedTTL: '10s',
    unauthorizedTTL: '5s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/kubernetes/lanyard/breakglass.kubeconfig' },
  })
  assert.equal(matchConditions.length, 4)
  assert.equal(matchConditions[3].expression, 'request.user != "hub \\"of\\" o\\\\ps"')
  assert.deepEqual(
    config().authorizers[0].webhook.matchConditions.map(({ expression }: { expression: string }) => expression),
    ["!request.user.startsWith('system:')", 'request.user != "hub \\"of\\" o\\\\ps"'],
  )
  assert.equal(config({ authorizedTtlMs: 2_500 }).authorizers[0].webhook.authorizedTTL, '2500ms')
})

test('without an answer policies may deny; sessions, which can but allow, never do', () => {
  const failurePolicies = (changes: Partial<WebhookPlan>) =>
    [0, 3].map((at) => config(changes).authorizers[at].webhook.failurePolicy)
  assert.deepEqual(failurePolicies({}), ['NoOpinion', 'NoOpinion'])
  assert.deepEqual(failurePolicies({ failurePolicy: 'Deny' }), ['Deny', 'NoOpinion'])
})

test('a kubeconfig leads to the path of its cluster, and names the file of the token', () => {
  const of = (name: string) => parseKubeconfig(text(name), { name })
  const [policies, breakglass] = [of('policies.kubeconfig'), of('breakglass.kubeconfig')]
  const server = 'https://lanyard.example.com/api/breakglass/webhook/authorize/west'
  assert.equal(breakglass.clusters[0]?.value.server, server)
  assert.equal(policies.clusters[0]?.value.server, `${server}/policies`)
  assert.equal(breakglass.users[0]?.value.tokenFile, '/etc/kubernetes/lanyard/webhook-token')
  assert.equal(breakglass.clusters[0]?.value.certificateAuthorityData, plan.ca)
})

test('where the hub is must be said, and be https', () => {
  assert.equal(webhookUrl('https://lanyard.example.com/'), 'https://lanyard.example.com')
  assert.throws(
    () => webhookUrl(undefined),
    (error) => isFailure(error, 'ACCESS_URL_MISSING'),
  )
  for (const url of ['http://lanyard.example.com', 'lanyard', 'https://x?y=z'])
    assert.throws(
      () => webhookUrl(url),
      (error) => isFailure(error, 'ACCESS_URL_INVALID'),
    )
})
