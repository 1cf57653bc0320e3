import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  ListClustersCommand,
  paginateListAccessEntries,
  TagResourceCommand,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks'
import { allow, awsScene, hubAccount, managedAccount, policyOf, region } from './testing/scene.ts'

const clusterName = 'hub'

test('a cluster is described to its account, in its region', async (t) => {
  const { aws, clients, managed } = await awsScene(t)
  const ca = 'certificate'
  const endpoint = 'https://127.0.0.1:6443'
  aws.cluster({
    account: hubAccount,
    name: 'other',
    region,
    authenticationMode: 'CONFIG_MAP',
    endpoint,
    certificateAuthority: ca,
  })
  const { cluster } = await clients().eks.send(new DescribeClusterCommand({ name: 'other' }))
  assert.equal(cluster?.arn, `arn:aws:eks:${region}:${hubAccount}:cluster/other`)
  assert.equal(cluster?.accessConfig?.authenticationMode, 'CONFIG_MAP')
  assert.equal(cluster?.endpoint, endpoint)
  assert.equal(Buffer.from(cluster?.certificateAuthority?.data ?? '', 'base64').toString(), ca)
  assert.match(cluster?.identity?.oidc?.issuer ?? '', /^https:\/\/oidc\.eks\.eu-west-1\.amazonaws\.com\/id\//)
  assert.deepEqual((await clients().eks.send(new ListClustersCommand({}))).clusters, ['hub', 'other'])
  assert.deepEqual((await clients(managed.admin).eks.send(new ListClustersCommand({}))).clusters, [])
  assert.deepEqual((await clients(undefined, { at: 'us-east-1' }).eks.send(new ListClustersCommand({}))).clusters, [])
})

test('an access entry is made, read, changed, tagged and deleted', async (t) => {
  const { clients, createRole, cluster, clock } = await awsScene(t)
  const principalArn = await createRole('ocm-hub')
  const { eks } = clients()
  const kubernetesGroups = ['open-cluster-management:c1']
  const wish = { clusterName, principalArn, username: 'c1', kubernetesGroups, tags: { a: '1' } }
  const made = await eks.send(new CreateAccessEntryCommand(wish))
  assert.match(
    made.accessEntry?.accessEntryArn ?? '',
    /^arn:aws:eks:eu-west-1:111122223333:access-entry\/hub\/role\/111122223333\/ocm-hub\/[0-9a-f-]{36}$/,
  )
  const { accessEntry } = await eks.send(new DescribeAccessEntryCommand({ clusterName, principalArn }))
  assert.deepEqual(accessEntry, made.accessEntry)
  assert.deepEqual([accessEntry?.type, accessEntry?.createdAt], ['STANDARD', clock.now()])
  await eks.send(new UpdateAccessEntryCommand({ clusterName, principalArn, kubernetesGroups: ['other'] }))
  await eks.send(new TagResourceCommand({ resourceArn: made.accessEntry?.accessEntryArn, tags: { b: '2' } }))
  const [entry] = cluster.accessEntries()
  assert.deepEqual([entry?.username, entry?.groups, entry?.tags], ['c1', ['other'], { a: '1', b: '2' }])
  await eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn }))
  assert.deepEqual(cluster.accessEntries(), [])
})

test('an entry without a user name takes the session for it', async (t) => {
  const { clients, createRole } = await awsScene(t)
  const principalArn = await createRole('ocm-hub')
  const { accessEntry } = await clients().eks.send(new CreateAccessEntryCommand({ clusterName, principalArn }))
  assert.equal(accessEntry?.username, `arn:aws:sts::${hubAccount}:assumed-role/ocm-hub/{{SessionName}}`)
})

test('access entries are listed page by page', async (t) => {
  const { clients, createRole } = await awsScene(t, { pageSize: 2 })
  const { eks } = clients()
  const arns: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const principalArn = await createRole(name)
    arns.push(principalArn)
    await eks.send(new CreateAccessEntryCommand({ clusterName, principalArn }))
  }
  const pages = await Array.fromAsync(paginateListAccessEntries({ client: eks }, { clusterName }))
  assert.deepEqual(
    pages.map(({ accessEntries = [] }) => accessEntries.length),
    [2, 1],
  )
  assert.deepEqual(
    pages.flatMap(({ accessEntries = [] }) => accessEntries),
    arns,
  )
})

test('tagging on creation is a permission of its own, and entries are resources of their own', async (t) => {
  const { clients, createRole, hub, cluster } = await awsScene(t)
  const principalArn = await createRole('ocm-hub')
  const entries = `arn:aws:eks:${region}:${hubAccount}:access-entry/hub/role/${hubAccount}/ocm-hub*/*`
  const may = policyOf(allow('eks:CreateAccessEntry', cluster.arn), allow('eks:DeleteAccessEntry', entries))
  const { eks } = clients(hub.user('creator', may))
  const wish = { clusterName, principalArn, tags: { a: '1' } }
  await assert.rejects(eks.send(new CreateAccessEntryCommand(wish)), {
    name: 'AccessDeniedException',
    message: /eks:TagResource/,
  })
  await eks.send(new CreateAccessEntryCommand({ clusterName, principalArn }))
  await assert.rejects(eks.send(new DescribeAccessEntryCommand({ clusterName, principalArn })), {
    name: 'AccessDeniedException',
  })
  await eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn }))
  await assert.rejects(eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn })), {
    name: 'ResourceNotFoundException',
  })
})

test('ListClusters is not a permission on one cluster', async (t) => {
  const { clients, hub, cluster } = await awsScene(t)
  const { eks } = clients(hub.user('seed', policyOf(allow(['eks:DescribeCluster', 'eks:ListClusters'], cluster.arn))))
  await eks.send(new DescribeClusterCommand({ name: 'hub' }))
  await assert.rejects(eks.send(new ListClustersCommand({})), { name: 'AccessDeniedException' })
})

test('a role of another account may have an entry', async (t) => {
  const { clients, createRole, managed, cluster } = await awsScene(t)
  const trust = { Statement: { Effect: 'Allow', Principal: { AWS: managedAccount }, Action: 'sts:AssumeRole' } }
  const principalArn = await createRole('far', { by: managed.admin, trust })
  await clients().eks.send(new CreateAccessEntryCommand({ clusterName, principalArn }))
  assert.equal(cluster.accessEntries().length, 1)
})
