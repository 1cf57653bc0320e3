import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole } from 'kubernetes-types/rbac/v1.d.ts'
import { accessDeclarations } from '../access/admission/declarations.ts'
import { accessHubManifests, accessHubRole } from '../access/manifests/hub.ts'
import { reachDeclarations } from '../reach/admission/declarations.ts'
import { reachHubRole } from '../reach/manifests/hub.ts'
import type { InitPlan } from './init-plan.ts'
import { planInit } from './init-plan.ts'

const namespace = 'hub'
/** In the order in which they are removed. */
const ofAws = ['RoleBinding lanyard-hub-aws-auth', 'Role lanyard-hub-aws-auth']

/** Rules about Secrets that hold in every namespace. */
const secretRules = ({ identities }: InitPlan) =>
  identities
    .filter(({ object }) => object.kind === 'ClusterRole')
    .flatMap(({ object }) => (object as ClusterRole).rules ?? [])
    .filter(({ resources = [] }) => resources.includes('secrets'))

test('a hub that reaches no cluster has no right to Secrets, no webhooks for it, and loses what it had', () => {
  const plan = planInit({ namespace, reach: false }, '')
  assert.deepEqual(secretRules(plan), [])
  const webhooks = JSON.stringify(plan.webhooks)
  for (const { path } of [...reachDeclarations, ...accessDeclarations]) assert.ok(!webhooks.includes(path), path)
  const names = plan.gone.map(({ object }) => `${object.kind} ${object.metadata.name}`)
  const ofReach = [`ClusterRoleBinding ${reachHubRole}`, `ClusterRole ${reachHubRole}`]
  assert.deepEqual(names.slice(-2 - ofAws.length), [...ofReach, ...ofAws])
  assert.equal(plan.gone.length, 2 + ofAws.length + accessHubManifests({ namespace, name: 'a' }).length)
})

test('any other may read those that ClusterConfigs name, and is asked before one is stored', () => {
  const plan = planInit({ namespace }, '')
  assert.ok(plan.identities.some(({ object }) => object.metadata.name === reachHubRole))
  const webhooks = JSON.stringify(plan.webhooks)
  for (const { path } of [...reachDeclarations, ...accessDeclarations]) assert.ok(webhooks.includes(path), path)
  assert.deepEqual(
    plan.gone.map(({ object }) => `${object.kind} ${object.metadata.name}`),
    ofAws,
  )
})

test('a hub by which nobody breaks glass keeps its way into clusters and loses the rest', () => {
  const plan = planInit({ namespace, access: false }, '')
  const names = plan.identities.map(({ object }) => object.metadata.name)
  assert.ok(names.includes(reachHubRole) && !names.includes(accessHubRole))
  const webhooks = JSON.stringify(plan.webhooks)
  for (const { path } of accessDeclarations) assert.ok(!webhooks.includes(path), path)
  assert.deepEqual(
    plan.gone.slice(0, -ofAws.length).map(({ object }) => object),
    accessHubManifests({ namespace, name: 'registration-controller-sa' })
      .toReversed()
      .map(({ object }) => object),
  )
})

test('a hub that clusters join by AWS IAM may edit aws-auth, and any other loses that', () => {
  const aws = {
    hubClusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/hub',
    creatorRoleArn: 'arn:aws:iam::1:role/r',
  }
  const plan = planInit({ namespace, aws }, '')
  const named = (kind: string, name: string) =>
    plan.identities.find(({ object }) => object.kind === kind && object.metadata.name === name)?.object
  const { rules = [], metadata } = named('Role', 'lanyard-hub-aws-auth') as ClusterRole
  assert.equal(metadata?.namespace, 'kube-system')
  assert.deepEqual(rules, [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'], resourceNames: ['aws-auth'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  ])
  const account = named('ServiceAccount', 'registration-controller-sa')
  assert.deepEqual(account?.metadata.annotations, {
    'lanyard.io/hub-cluster-arn': aws.hubClusterArn,
    'eks.amazonaws.com/role-arn': aws.creatorRoleArn,
  })
  assert.deepEqual(plan.gone, [])
})
