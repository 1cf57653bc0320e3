import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AttachRolePolicyCommand, CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'
import { systemClock } from '../../../../core/clock.ts'
import type { AwsCredentials } from '../../../../demo/aws/index.ts'
import { startAws } from '../../../../demo/aws/index.ts'
import type { EksCluster, Wrong } from '../names.ts'
import { parseEksArn } from '../names.ts'
import type { NeededRole } from '../prerequisites/index.ts'
import { clusterPrerequisites, hubPrerequisites } from '../prerequisites/index.ts'
import { hub, managed } from '../testing/samples.ts'
import { checkClusterRole, checkHubRole, preflightAws } from './index.ts'

const issuer = 'https://oidc.eks.eu-west-1.amazonaws.com/id/ABC'
const oidcProvider = issuer.slice('https://'.length)

const right = <T extends object>(found: T): Exclude<T, Wrong> =>
  'wrong' in found ? assert.fail(String(found.wrong)) : (found as Exclude<T, Wrong>)
const clusterRole = right(clusterPrerequisites(hub, managed, { oidcProvider }))
const hubRole = right(hubPrerequisites(hub, { oidcProvider }))

/** AWS with both clusters. */
async function scene(t: TestScope) {
  const aws = await startAws()
  teardown(t, () => aws.close())
  for (const { account, name, region } of [hub, managed]) aws.cluster({ account, name, region, issuer })
  const as = (of: EksCluster, credentials: AwsCredentials = aws.account(of.account).admin) => {
    const opened = preflightAws(of, systemClock, { endpoint: aws.url, credentials })
    teardown(t, () => opened[Symbol.dispose]())
    return opened
  }
  /** As an administrator would who applies what is printed, with changes. */
  async function make(of: EksCluster, { name, trust, policy, tags }: NeededRole) {
    const credentials = aws.account(of.account).admin
    const iam = new IAMClient({ endpoint: aws.url, region: of.region, credentials })
    teardown(t, () => iam.destroy())
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
    const AssumeRolePolicyDocument = JSON.stringify(trust)
    await iam.send(new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument, Tags }))
    const PolicyDocument = JSON.stringify(policy.document)
    await iam.send(new PutRolePolicyCommand({ RoleName: name, PolicyName: policy.name, PolicyDocument }))
    return iam
  }
  return { aws, as, make }
}

test('roles made as they are printed lack nothing', async (t) => {
  const { as, make } = await scene(t)
  await make(managed, clusterRole)
  await make(hub, hubRole)
  assert.deepEqual(await checkClusterRole(hub, managed, as(managed)), { missing: [], unclear: [], role: clusterRole })
  assert.deepEqual(await checkHubRole(hub, as(hub)), { missing: [], unclear: [], role: hubRole })
})

test('a role that is not there is missing, and what to make comes with it', async (t) => {
  const { as } = await scene(t)
  const found = await checkClusterRole(hub, managed, as(managed))
  assert.deepEqual(found, { missing: [`the role ${clusterRole.arn} does not exist`], unclear: [], role: clusterRole })
})

test('a wrong account, a wrong policy and a missing tag are told, each by itself', async (t) => {
  const { as, make } = await scene(t)
  const [first, ...others] = Object.entries(clusterRole.tags)
  await make(managed, {
    ...clusterRole,
    tags: Object.fromEntries(others),
    policy: { ...clusterRole.policy, document: { ...hubRole.policy.document } },
  })
  const options = { namespace: 'elsewhere' }
  const { missing, unclear } = await checkClusterRole(hub, managed, as(managed), options)
  assert.deepEqual(missing, [
    `the trust policy of ${clusterRole.arn} does not let in system:serviceaccount:elsewhere:lanyard-agent`,
    `the policies of ${clusterRole.arn} do not allow sts:AssumeRole`,
    `the role ${clusterRole.arn} has no tag ${first?.join('=')}`,
  ])
  assert.deepEqual(unclear, [])
})

test('the policy of the seed alone does not do for a hub with access entries', async (t) => {
  const { as, make } = await scene(t)
  const [seed] = hubRole.policy.document.Statement
  await make(hub, {
    ...hubRole,
    policy: { ...hubRole.policy, document: { Version: '2012-10-17', Statement: seed ? [seed] : [] } },
  })
  const { missing } = await checkHubRole(hub, as(hub))
  assert.match(missing.join(), /do not allow iam:TagRole, eks:DescribeCluster, eks:CreateAccessEntry, eks:Desc/)
})

test('what is attached is not read, so what it may allow is unclear and not missing', async (t) => {
  const { aws, as, make } = await scene(t)
  const nothing = { Version: '2012-10-17', Statement: hubRole.policy.document.Statement.slice(2, 3) } as const
  const iam = await make(hub, { ...hubRole, policy: { ...hubRole.policy, document: nothing } })
  const PolicyArn = 'arn:aws:iam::aws:policy/AdministratorAccess'
  aws.account(hub.account).attach(hubRole.name, PolicyArn)
  await iam.send(new AttachRolePolicyCommand({ RoleName: hubRole.name, PolicyArn })).catch(() => {})
  const { missing, unclear } = await checkHubRole(hub, as(hub))
  assert.deepEqual(missing, [])
  assert.match(unclear.join(), /what is attached was not read: arn:aws:iam::aws:policy\/AdministratorAccess/)
})

test('whoever may not look, or looks from another account, hears so, and nothing counts as missing', async (t) => {
  const { aws, as } = await scene(t)
  const nobody = aws.account(managed.account).user('nobody')
  const forbidden = await checkClusterRole(hub, managed, as(managed, nobody))
  assert.deepEqual(forbidden.missing, [])
  assert.match(forbidden.unclear[0] ?? '', /was not looked at: your AWS identity may not do iam:GetRole/)
  const elsewhere = await checkClusterRole(hub, managed, as(managed, aws.account(hub.account).admin))
  assert.deepEqual(elsewhere.missing, [])
  assert.match(elsewhere.unclear[0] ?? '', /are of account 123456789012, and the role is in 567890123456/)
  const wrong = { accessKeyId: 'AKIANOBODY', secretAccessKey: 'x' }
  const stranger = await checkClusterRole(hub, managed, as(managed, wrong), { oidcProvider })
  assert.match(stranger.unclear.join(), /AWS does not take your credentials/)
})

test('without the OpenID provider the trust is unclear, and no document is printed', async (t) => {
  const { as, make } = await scene(t)
  await make(managed, clusterRole)
  const unknown = right(parseEksArn(`${managed.arn}`))
  const away = { ...as(managed), issuerOf: async () => undefined }
  const found = await checkClusterRole(hub, unknown, away)
  assert.equal(found.role, undefined)
  assert.deepEqual(found.missing, [])
  assert.match(found.unclear.join(), /cannot be told.*EKS does not tell one/)
})

test('a hub whose role would have too long a name hears so', async (t) => {
  const { as } = await scene(t)
  const long = right(parseEksArn(`${hub.arn}${'b'.repeat(40)}`))
  assert.match((await checkHubRole(long, as(hub))).missing.join(), /IAM allows 64 characters/)
})
