import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  ListRoleTagsCommand,
  PutRolePolicyCommand,
  paginateListRoleTags,
  TagRoleCommand,
  UntagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam'
import { allow, awsScene, hubAccount, managedAccount, policyOf, trustAccount, trustRole } from './testing/scene.ts'

test('a role is made, read back as it was made, and is in its account alone', async (t) => {
  const { clients, createRole, hub, managed } = await awsScene(t)
  const arn = await createRole('Ocm-hub-1', {
    tags: { 'lanyard.io/hub-cluster': 'arn:aws:eks:eu-west-1:1:cluster/hub' },
  })
  assert.equal(arn, `arn:aws:iam::${hubAccount}:role/Ocm-hub-1`)
  const { Role } = await clients().iam.send(new GetRoleCommand({ RoleName: 'Ocm-hub-1' }))
  assert.match(Role?.RoleId ?? '', /^AROA[A-Z2-7]{17}$/)
  assert.equal(Role?.CreateDate?.toISOString(), '2026-03-01T12:00:00.000Z')
  assert.equal(Role?.MaxSessionDuration, 3600)
  assert.deepEqual(JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '')), trustAccount(hubAccount))
  assert.deepEqual(Role?.Tags, [{ Key: 'lanyard.io/hub-cluster', Value: 'arn:aws:eks:eu-west-1:1:cluster/hub' }])
  assert.deepEqual(
    hub.roles().map(({ name }) => name),
    ['Ocm-hub-1'],
  )
  assert.deepEqual(managed.roles(), [])
  await assert.rejects(clients().iam.send(new GetRoleCommand({ RoleName: 'ocm-hub-1' })), {
    name: 'NoSuchEntityException',
  })
})

test('tags on a new role are a permission of their own', async (t) => {
  const { clients, hub } = await awsScene(t)
  const document = JSON.stringify(trustAccount(hubAccount))
  const wish = { RoleName: 'r', AssumeRolePolicyDocument: document, Description: 'a & <b> "c"' }
  const Tags = [{ Key: 'lanyard.io/managed-cluster', Value: 'c1' }]
  const { iam } = clients(hub.user('creator', policyOf(allow('iam:CreateRole'))))
  await assert.rejects(iam.send(new CreateRoleCommand({ ...wish, Tags })), {
    name: 'AccessDenied',
    message: /iam:TagRole/,
  })
  const { Role } = await iam.send(new CreateRoleCommand(wish))
  assert.equal(Role?.Description, wish.Description)
})

test('a permission may be bound to the tags of the role, and of the call', async (t) => {
  const { clients, createRole, hub } = await awsScene(t)
  await createRole('ours', { tags: { owner: 'lanyard' } })
  await createRole('theirs')
  const ours = { StringEquals: { 'aws:ResourceTag/owner': 'lanyard' } }
  const keys = { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['note'] } }
  const may = policyOf(allow('iam:DeleteRole', '*', ours), allow('iam:TagRole', '*', { ...ours, ...keys }))
  const { iam } = clients(hub.user('careful', may))
  const tag = (RoleName: string, Key: string) => iam.send(new TagRoleCommand({ RoleName, Tags: [{ Key, Value: '' }] }))
  await tag('ours', 'note')
  await assert.rejects(tag('ours', 'owner'), { name: 'AccessDenied' })
  await assert.rejects(tag('theirs', 'note'), { name: 'AccessDenied' })
  await assert.rejects(iam.send(new DeleteRoleCommand({ RoleName: 'theirs' })), { name: 'AccessDenied' })
  await iam.send(new DeleteRoleCommand({ RoleName: 'ours' }))
})

test('a role is deleted once its policies are gone', async (t) => {
  const { clients, createRole, hub } = await awsScene(t)
  await createRole('r', { policy: policyOf(allow('eks:DescribeCluster')) })
  hub.attach('r', 'arn:aws:iam::aws:policy/ReadOnlyAccess')
  const { iam } = clients()
  await assert.rejects(iam.send(new DeleteRoleCommand({ RoleName: 'r' })), { name: 'DeleteConflictException' })
  const { AttachedPolicies } = await iam.send(new ListAttachedRolePoliciesCommand({ RoleName: 'r' }))
  const PolicyArn = 'arn:aws:iam::aws:policy/ReadOnlyAccess'
  assert.deepEqual(AttachedPolicies, [{ PolicyName: 'ReadOnlyAccess', PolicyArn }])
  await iam.send(new DetachRolePolicyCommand({ RoleName: 'r', PolicyArn }))
  await assert.rejects(iam.send(new DeleteRoleCommand({ RoleName: 'r' })), { name: 'DeleteConflictException' })
  await iam.send(new DeleteRolePolicyCommand({ RoleName: 'r', PolicyName: 'own' }))
  await iam.send(new DeleteRoleCommand({ RoleName: 'r' }))
  assert.deepEqual(hub.roles(), [])
})

test('inline policies are put, replaced, listed and read back', async (t) => {
  const { clients, createRole, hub } = await awsScene(t)
  await createRole('r')
  const { iam } = clients()
  const put = (PolicyName: string, document: object) =>
    iam.send(new PutRolePolicyCommand({ RoleName: 'r', PolicyName, PolicyDocument: JSON.stringify(document) }))
  await put('b', policyOf(allow('eks:ListClusters')))
  await put('a', policyOf(allow('eks:ListClusters')))
  await put('b', policyOf(allow('eks:*')))
  const { PolicyNames, IsTruncated } = await iam.send(new ListRolePoliciesCommand({ RoleName: 'r' }))
  assert.deepEqual([PolicyNames, IsTruncated], [['a', 'b'], false])
  const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName: 'r', PolicyName: 'b' }))
  assert.deepEqual(JSON.parse(decodeURIComponent(PolicyDocument ?? '')), policyOf(allow('eks:*')))
  assert.deepEqual(hub.role('r')?.policies['b'], policyOf(allow('eks:*')))
})

test('tags are merged, removed, and listed page by page', async (t) => {
  const { clients, createRole } = await awsScene(t, { pageSize: 2 })
  await createRole('r', { tags: { a: '1', b: '2' } })
  const { iam } = clients()
  const Tags = [
    { Key: 'b', Value: 'two & <more>' },
    { Key: 'c', Value: '' },
    { Key: 'd', Value: 'é' },
  ]
  await assert.rejects(iam.send(new TagRoleCommand({ RoleName: 'r', Tags })), { name: 'ValidationError' })
  await iam.send(new TagRoleCommand({ RoleName: 'r', Tags: [{ Key: 'b', Value: 'two' }, ...Tags.slice(1)] }))
  await iam.send(new UntagRoleCommand({ RoleName: 'r', TagKeys: ['a', 'never there'] }))
  const { IsTruncated, Tags: first } = await iam.send(new ListRoleTagsCommand({ RoleName: 'r' }))
  assert.deepEqual([IsTruncated, first?.length], [true, 2])
  const pages = await Array.fromAsync(paginateListRoleTags({ client: iam }, { RoleName: 'r' }))
  const all = pages.flatMap(({ Tags = [] }) => Tags.map(({ Key, Value }) => `${Key}=${Value}`))
  assert.deepEqual(all, ['b=two', 'c=', 'd=é'])
})

test('a trust policy shows the id of a role that was deleted, and keeps it when the role is made again', async (t) => {
  const { clients, createRole, hub, managed } = await awsScene(t)
  const arn = await createRole('managed', { by: managed.admin, trust: trustAccount(managedAccount) })
  const id = managed.role('managed')?.id ?? ''
  await createRole('hub-side', { trust: trustRole([arn]) })
  assert.deepEqual(hub.role('hub-side')?.trust, trustRole(arn), 'a list of one shows without its brackets')
  const { iam } = clients(managed.admin)
  await iam.send(new DeleteRoleCommand({ RoleName: 'managed' }))
  assert.deepEqual(hub.role('hub-side')?.trust, trustRole(id))
  await createRole('managed', { by: managed.admin, trust: trustAccount(managedAccount) })
  const { Role } = await clients().iam.send(new GetRoleCommand({ RoleName: 'hub-side' }))
  assert.deepEqual(JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '')), trustRole(id))
  const again = JSON.stringify(trustRole(arn))
  await clients().iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: 'hub-side', PolicyDocument: again }))
  assert.deepEqual(hub.role('hub-side')?.trust, trustRole(arn))
})

test('an account in another partition has ARNs of that partition', async (t) => {
  const { aws, createRole } = await awsScene(t)
  const china = aws.account('777788889999', { partition: 'aws-cn' })
  const arn = await createRole('r', { by: china.admin, trust: trustRole('arn:aws-cn:iam::777788889999:root') })
  assert.equal(arn, 'arn:aws-cn:iam::777788889999:role/r')
})
