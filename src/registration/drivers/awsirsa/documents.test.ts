import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PolicyDocument } from './documents.ts'
import {
  creatorRoleAccess,
  creatorRoleAdditions,
  creatorRoleTrust,
  hubRoleAccess,
  hubRoleTrust,
  managedRoleAccess,
  managedRoleAdditions,
  managedRoleTrust,
} from './documents.ts'
import type { EksCluster } from './names.ts'
import { parseEksArn } from './names.ts'

const suffix = '138c525cf3b7f74ba3b945e7847792cc'
const oidcProvider = 'oidc.eks.us-west-2.amazonaws.com/id/ABCDEF0123456789ABCDEF0123456789'

function cluster(arn: string): EksCluster {
  const found = parseEksArn(arn)
  assert.ok(!('wrong' in found), arn)
  return found
}
const hub = cluster('arn:aws:eks:us-west-2:123456789012:cluster/hub')
const spoke = cluster('arn:aws:eks:eu-west-1:567890123456:cluster/spoke')

const only = (...Statement: unknown[]) => ({ Version: '2012-10-17', Statement })

test('the role of the hub trusts the role of the one cluster, while it has the four tags', () => {
  assert.deepEqual(
    hubRoleTrust(hub, spoke),
    only({
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::567890123456:role/ocm-managed-cluster-${suffix}` },
      Action: 'sts:AssumeRole',
      Condition: {
        StringEquals: {
          'aws:PrincipalTag/hub_cluster_account_id': '123456789012',
          'aws:PrincipalTag/hub_cluster_name': 'hub',
          'aws:PrincipalTag/managed_cluster_account_id': '567890123456',
          'aws:PrincipalTag/managed_cluster_name': 'spoke',
        },
      },
    }),
  )
})

test('the role of the hub may look at the hub', () => {
  assert.deepEqual(
    hubRoleAccess(hub),
    only({ Effect: 'Allow', Action: ['eks:DescribeCluster', 'eks:ListClusters'], Resource: hub.arn }),
  )
})

test('the role of the cluster may take the role of the hub that is made for it', () => {
  assert.deepEqual(
    managedRoleAccess(hub, spoke),
    only({ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: `arn:aws:iam::123456789012:role/ocm-hub-${suffix}` }),
  )
})

const trusted = (account: string, subject: string) => ({
  Effect: 'Allow',
  Principal: { Federated: `arn:aws:iam::${account}:oidc-provider/${oidcProvider}` },
  Action: 'sts:AssumeRoleWithWebIdentity',
  Condition: {
    StringEquals: {
      [`${oidcProvider}:sub`]: `system:serviceaccount:${subject}`,
      [`${oidcProvider}:aud`]: 'sts.amazonaws.com',
    },
  },
})

test('the role of the cluster trusts the accounts of its agents, and of ours, for which there is a reason', () => {
  const namespace = 'open-cluster-management-agent'
  const [registration, work, ...added] = managedRoleTrust(spoke, { oidcProvider }).Statement
  assert.deepEqual(registration, trusted('567890123456', `${namespace}:klusterlet-registration-sa`))
  assert.deepEqual(work, trusted('567890123456', `${namespace}:klusterlet-work-sa`))
  assert.deepEqual(added, [trusted('567890123456', `${namespace}:lanyard-agent`)])
  assert.deepEqual(
    managedRoleAdditions({ oidcProvider }).map(({ what }) => what),
    [`system:serviceaccount:${namespace}:lanyard-agent`],
  )
})

test('a Klusterlet of another name in another namespace is trusted in place of the usual one', () => {
  const identity = { oidcProvider, klusterlet: 'k', namespace: 'n' }
  assert.deepEqual(
    managedRoleTrust(spoke, identity),
    only(
      ...['n:k-registration-sa', 'n:k-work-sa', 'n:lanyard-agent'].map((subject) => trusted('567890123456', subject)),
    ),
  )
  assert.equal(managedRoleAdditions(identity)[0]?.what, 'system:serviceaccount:n:lanyard-agent')
})

test('the creator role trusts the account of the hub', () => {
  const account = 'registration-controller-sa'
  assert.deepEqual(
    creatorRoleTrust(hub, { oidcProvider }),
    only(trusted('123456789012', `open-cluster-management-hub:${account}`)),
  )
  assert.deepEqual(
    creatorRoleTrust(hub, { oidcProvider, namespace: 'n' }),
    only(trusted('123456789012', `n:${account}`)),
  )
})

test('the creator role may do what the seed has, on roles and policies of the hub alone', () => {
  assert.deepEqual(creatorRoleAccess(hub).Statement[0], {
    Effect: 'Allow',
    Action: [
      'iam:CreateRole',
      'iam:DeleteRole',
      'iam:UpdateAssumeRolePolicy',
      'iam:PutRolePolicy',
      'iam:DeleteRolePolicy',
      'iam:AttachRolePolicy',
      'iam:DetachRolePolicy',
      'iam:CreatePolicy',
      'iam:DeletePolicy',
      'iam:CreatePolicyVersion',
      'iam:DeletePolicyVersion',
      'iam:ListAttachedRolePolicies',
      'iam:ListRolePolicies',
      'iam:ListPolicyVersions',
      'iam:GetRole',
      'iam:GetRolePolicy',
      'iam:GetPolicy',
      'iam:GetPolicyVersion',
      'iam:PassRole',
    ],
    Resource: ['arn:aws:iam::123456789012:role/ocm-hub-*', 'arn:aws:iam::123456789012:policy/ocm-hub-*'],
  })
})

test('each action that the creator role may do more has its reason, and is on what is ours alone', () => {
  const added = creatorRoleAccess(hub).Statement.slice(1)
  assert.deepEqual(
    added.flatMap(({ Action, Resource }) => [Action].flat().map((action) => [action, Resource])),
    [
      ['iam:TagRole', 'arn:aws:iam::123456789012:role/ocm-hub-*'],
      ['eks:DescribeCluster', hub.arn],
      ['eks:CreateAccessEntry', hub.arn],
      ...['eks:TagResource', 'eks:DescribeAccessEntry', 'eks:DeleteAccessEntry', 'eks:UpdateAccessEntry'].map(
        (action) => [action, 'arn:aws:eks:us-west-2:123456789012:access-entry/hub/role/123456789012/ocm-hub-*'],
      ),
    ],
  )
  assert.deepEqual(
    creatorRoleAdditions.map(({ what }) => what),
    [...added.flatMap(({ Action }) => Action), 'eks:principalArn', 'eks:kubernetesGroups'],
  )
  assert.ok(creatorRoleAdditions.every(({ reason }) => reason.length > 20 && !reason.includes('\n')))
})

test('the creator role maps roles of the hub alone, and into groups of clusters alone', () => {
  const groups = { 'ForAllValues:StringLike': { 'eks:kubernetesGroups': 'open-cluster-management:*' } }
  const conditions = creatorRoleAccess(hub).Statement.flatMap(({ Action, Condition }) =>
    Condition ? [[Action, Condition]] : [],
  )
  assert.deepEqual(conditions, [
    [
      ['eks:CreateAccessEntry'],
      { ArnLike: { 'eks:principalArn': 'arn:aws:iam::123456789012:role/ocm-hub-*' }, ...groups },
    ],
    [['eks:UpdateAccessEntry'], groups],
  ])
})

test('every ARN in a document is of the partition of its cluster', () => {
  const partitions = fc.constantFrom('aws', 'aws-cn', 'aws-us-gov', 'aws-iso-b')
  fc.assert(
    fc.property(partitions, (partition) => {
      const [one, other] = [hub, spoke].map(({ arn }) => cluster(arn.replace('arn:aws:', `arn:${partition}:`)))
      assert.ok(one && other)
      const documents: PolicyDocument[] = [
        hubRoleTrust(one, other),
        hubRoleAccess(one),
        managedRoleAccess(one, other),
        managedRoleTrust(other, { oidcProvider }),
        creatorRoleTrust(one, { oidcProvider }),
        creatorRoleAccess(one),
      ]
      const arns = JSON.stringify(documents).match(/arn:[^:]+/g) ?? []
      assert.ok(arns.length >= 10)
      assert.deepEqual(new Set(arns), new Set([`arn:${partition}`]))
    }),
  )
})

test('documents are as short as IAM wants them, whatever the names', () => {
  const name = 'n'.repeat(63)
  const long = { oidcProvider: oidcProvider.replace('us-west-2', 'ap-southeast-12'), klusterlet: name, namespace: name }
  assert.ok(JSON.stringify(managedRoleTrust(spoke, long)).length <= 2_048)
  assert.ok(JSON.stringify(creatorRoleAccess({ ...hub, name: 'h'.repeat(100) })).length <= 10_240)
})
