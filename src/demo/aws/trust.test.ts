import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeleteRoleCommand, DeleteRolePolicyCommand, GetRoleCommand } from '@aws-sdk/client-iam'
import { AssumeRoleCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import type { AwsCredentials } from './index.ts'
import type { Scene } from './testing/scene.ts'
import { allow, awsScene, hubAccount, managedAccount, policyOf, trustAccount, trustRole } from './testing/scene.ts'

const assume = ({ clients }: Scene, by: AwsCredentials, RoleArn: string, more: object = {}) =>
  clients(by).sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'agent', ...more }))

const refused = { name: 'AccessDenied' }
const hubRole = `arn:aws:iam::${hubAccount}:role/ocm-hub`
const mayAssume = policyOf(allow('sts:AssumeRole', hubRole))
const tagged = (name: string) => ({
  StringEquals: {
    'aws:PrincipalTag/managed_cluster_name': name,
    'aws:PrincipalTag/managed_cluster_account_id': managedAccount,
  },
})
const tags = (name: string) => ({ managed_cluster_name: name, managed_cluster_account_id: managedAccount })

/** A role of the managed account that wants to be the hub's. */
async function managedRole(scene: Scene, wish: { name?: string; policy?: object; tags?: Record<string, string> } = {}) {
  const { name = 'ocm-managed', policy = mayAssume } = wish
  const arn = await scene.createRole(name, {
    by: scene.managed.admin,
    trust: trustAccount(managedAccount),
    policy,
    tags: wish.tags ?? tags('cluster1'),
  })
  return { arn, session: scene.managed.session(name) }
}

test('a role whose ARN and tags are trusted gets a session that is the hub role', async (t) => {
  const scene = await awsScene(t)
  const { arn, session } = await managedRole(scene)
  await scene.createRole('ocm-hub', { trust: trustRole(arn, tagged('cluster1')) })
  const { Credentials, AssumedRoleUser } = await assume(scene, session, hubRole)
  assert.equal(AssumedRoleUser?.Arn, `arn:aws:sts::${hubAccount}:assumed-role/ocm-hub/agent`)
  assert.equal(Credentials?.Expiration?.toISOString(), '2026-03-01T13:00:00.000Z')
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const got = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  const identity = await scene.clients(got).sts.send(new GetCallerIdentityCommand({}))
  assert.equal(identity.Arn, AssumedRoleUser?.Arn)
  assert.equal(identity.UserId, `${scene.hub.role('ocm-hub')?.id}:agent`)
  assert.equal(identity.Account, hubAccount)
  await assert.rejects(scene.clients({ ...got, sessionToken: 'x' }).sts.send(new GetCallerIdentityCommand({})), {
    name: 'InvalidClientTokenId',
  })
})

for (const [what, wrong] of Object.entries({
  'whose tags say another cluster': { tags: tags('cluster2') },
  'without tags': { tags: {} },
  'with one of the tags only': { tags: { managed_cluster_name: 'cluster1' } },
  'whose own policies are silent': { policy: policyOf(allow('sts:AssumeRole', `${hubRole}-other`)) },
  'whose own policies deny it': {
    policy: policyOf(allow('sts:*'), { Effect: 'Deny', Action: 'sts:AssumeRole', Resource: hubRole }),
  },
}))
  test(`a trusted role of another account ${what} is refused`, async (t) => {
    const scene = await awsScene(t)
    const { arn, session } = await managedRole(scene, wrong)
    await scene.createRole('ocm-hub', { trust: trustRole(arn, tagged('cluster1')) })
    await assert.rejects(assume(scene, session, hubRole), refused)
  })

test('another role of the trusted account is refused, with the same tags and policies', async (t) => {
  const scene = await awsScene(t)
  const { arn } = await managedRole(scene)
  const other = await managedRole(scene, { name: 'ocm-managed-2' })
  await scene.createRole('ocm-hub', { trust: trustRole(arn, tagged('cluster1')) })
  await assert.rejects(assume(scene, other.session, hubRole), refused)
})

test('a role made again under the trusted name is refused until the trust policy is written anew', async (t) => {
  const scene = await awsScene(t)
  const { arn, session } = await managedRole(scene, { policy: policyOf(allow('sts:AssumeRole', hubRole)) })
  await scene.createRole('ocm-hub', { trust: trustRole(arn) })
  await assume(scene, session, hubRole)
  const { iam } = scene.clients(scene.managed.admin)
  await iam.send(new DeleteRolePolicyCommand({ RoleName: 'ocm-managed', PolicyName: 'own' }))
  await iam.send(new DeleteRoleCommand({ RoleName: 'ocm-managed' }))
  await assert.rejects(assume(scene, session, hubRole), { name: 'InvalidClientTokenId' }, 'its sessions went with it')
  const again = await managedRole(scene)
  await assert.rejects(assume(scene, again.session, hubRole), refused)
})

test('trust in an account leaves it to the policies of its callers', async (t) => {
  const scene = await awsScene(t)
  await scene.createRole('ocm-hub', { trust: trustAccount(managedAccount) })
  await assume(scene, scene.managed.user('may', mayAssume), hubRole)
  await assert.rejects(assume(scene, scene.managed.user('may-not'), hubRole), refused)
  await assert.rejects(assume(scene, scene.hub.user('elsewhere', mayAssume), hubRole), refused)
})

test('in its own account, a caller that is named needs no policy, and one that is not does', async (t) => {
  const scene = await awsScene(t)
  const named = scene.hub.user('named')
  await scene.createRole('ocm-hub', { trust: trustRole(`arn:aws:iam::${hubAccount}:user/named`) })
  await assume(scene, named, hubRole)
  await assert.rejects(assume(scene, scene.hub.user('other', mayAssume), hubRole), refused)
  const deny = { Effect: 'Deny', Action: 'sts:*', Resource: '*' }
  const denied = scene.hub.user('denied', policyOf(deny))
  await scene.createRole('ocm-hub-2', { trust: trustRole(`arn:aws:iam::${hubAccount}:user/denied`) })
  await assert.rejects(assume(scene, denied, `${hubRole}-2`), refused, 'what its policies deny stays denied')
})

test('a session cannot give itself the tags of another cluster', async (t) => {
  const scene = await awsScene(t)
  const { arn, session } = await managedRole(scene, { tags: tags('cluster2'), policy: policyOf(allow('sts:*')) })
  await scene.createRole('ocm-hub', { trust: trustRole(arn, tagged('cluster1')) })
  const Tags = Object.entries(tags('cluster1')).map(([Key, Value]) => ({ Key, Value }))
  await assert.rejects(assume(scene, session, hubRole, { Tags }), refused)
})

test('a policy given to a session narrows what its role may', async (t) => {
  const scene = await awsScene(t)
  const arn = await scene.createRole('wide', { policy: policyOf(allow('iam:*')) })
  const Policy = JSON.stringify(policyOf(allow('iam:GetRole')))
  const { Credentials } = await assume(scene, scene.hub.admin, arn, { Policy })
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const narrowed = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  const { iam } = scene.clients(narrowed)
  await iam.send(new GetRoleCommand({ RoleName: 'wide' }))
  await assert.rejects(iam.send(new DeleteRoleCommand({ RoleName: 'wide' })), { name: 'AccessDenied' })
  const next = await scene.createRole('next', { trust: trustRole(arn) })
  await assume(scene, scene.hub.session('wide'), next)
  await assert.rejects(assume(scene, narrowed, next), refused)
})
