import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { awsAuth } from '../drivers/awsirsa/mapping/aws-auth.ts'
import { agentManifests } from './agent.ts'
import { hubManifests } from './hub.ts'
import { awsAuthConfigMap, readHubAccount } from './hub-aws.ts'
import { hubRbacManifests } from './hub-rbac.ts'

const hubClusterArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
const managedClusterArn = 'arn:aws:eks:eu-west-1:567890123456:cluster/west'

const find = <T>(manifests: readonly Manifest[], kind: string): T =>
  manifests.find(({ object }) => object.kind === kind)?.object as unknown as T
const argsOf = (manifests: readonly Manifest[]) =>
  find<Deployment>(manifests, 'Deployment').spec?.template.spec?.containers[0]?.args ?? []

test('a hub is told its ARN, whom it lets in and its tags', () => {
  const aws = { hubClusterArn, autoApprovedArnPatterns: ['a.*', 'b'], resourceTags: { team: 'blue', cost: '1' } }
  const args = argsOf(hubManifests({ namespace: 'n', image: 'i', registrationDrivers: ['awsirsa'], aws }))
  assert.deepEqual(args.slice(2, -1), [
    '--enabled-registration-drivers=awsirsa',
    `--hub-cluster-arn=${hubClusterArn}`,
    '--auto-approved-arn-patterns=a.*',
    '--auto-approved-arn-patterns=b',
    '--aws-resource-tags=team=blue,cost=1',
  ])
})

test('what the account of a hub says can be read from it', () => {
  const read = (aws?: Parameters<typeof hubRbacManifests>[1]) =>
    readHubAccount(find<ServiceAccount>(hubRbacManifests('n', aws), 'ServiceAccount'))
  assert.deepEqual(read(), { resourceTags: [], hasRole: false })
  assert.deepEqual(read({ hubClusterArn }), { hubClusterArn, resourceTags: [], hasRole: false })
  assert.deepEqual(read({ hubClusterArn, creatorRoleArn: 'r', resourceTags: { a: '1', b: '2' } }), {
    hubClusterArn,
    resourceTags: ['a=1', 'b=2'],
    hasRole: true,
  })
})

test('only a hub that clusters join by AWS IAM has rights in kube-system', () => {
  const namespaces = (manifests: readonly Manifest[]) => manifests.map(({ object }) => object.metadata.namespace)
  assert.ok(!namespaces(hubRbacManifests('n')).includes('kube-system'))
  assert.ok(namespaces(hubRbacManifests('n', { hubClusterArn })).includes('kube-system'))
  assert.deepEqual(awsAuthConfigMap, awsAuth)
})

test('an agent is told both clusters, and its account carries the role', () => {
  const aws = { hubClusterArn, managedClusterArn, roleArn: 'arn:aws:iam::567890123456:role/r', exec: 'aws' as const }
  const manifests = agentManifests({ namespace: 'n', image: 'i', aws })
  const args = argsOf(manifests)
  for (const arg of ['registration-auth=awsirsa', `hub-cluster-arn=${hubClusterArn}`, 'aws-exec=aws'])
    assert.ok(args.includes(`--${arg}`), arg)
  assert.ok(args.includes(`--managed-cluster-arn=${managedClusterArn}`))
  const { metadata } = find<ServiceAccount>(manifests, 'ServiceAccount')
  assert.deepEqual(metadata?.annotations, { 'eks.amazonaws.com/role-arn': aws.roleArn })
})

test('without AWS nothing of it is there', () => {
  const manifests = [...agentManifests({ namespace: 'n', image: 'i' }), ...hubManifests({ namespace: 'n', image: 'i' })]
  assert.doesNotMatch(JSON.stringify(manifests), /aws|arn/)
})
