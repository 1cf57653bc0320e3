import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../../apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { done } from '../../../../core/outcome.ts'
import { randomFrom } from '../../../../core/random.ts'
import type { AwsCredentials } from '../../../../demo/aws/index.ts'
import { startAws } from '../../../../demo/aws/index.ts'
import { creatorRoleAccess, hubRoleAccess, hubRoleTrust } from '../documents.ts'
import { awsGrant } from '../hub-grant.ts'
import { managedRoleName } from '../names.ts'
import { isSameDocument } from '../same-document.ts'
import { aManagedCluster, hub, managed, roleArn, roleName, suffix } from '../testing/samples.ts'
import { openAws } from './open.ts'

/** The real SDK against the stand-in, with no more rights than the creator role of the documents has. */
async function scene() {
  const aws = await startAws()
  const cluster = aws.cluster({ account: hub.account, name: hub.name, region: hub.region, authenticationMode: 'API' })
  const account = aws.account(hub.account)
  const open = (credentials: AwsCredentials, maxAttempts = 1) =>
    openAws({
      region: hub.region,
      clusterName: hub.name,
      clock: systemClock,
      endpoint: aws.url,
      credentials,
      maxAttempts,
    })
  const clients = open(account.user('creator', creatorRoleAccess(hub)))
  const elsewhere = open(aws.account(managed.account).admin)
  const makeManagedRole = () =>
    elsewhere.iam.createRole({
      name: managedRoleName(suffix),
      trust: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      }),
      tags: {},
      description: 'of the cluster',
    })
  const kube = new MemoryKube(new FakeClock())
  const clusters = kube.of(ManagedCluster.resource)
  await clusters.create(aManagedCluster('west'))
  let aheadMs = 0
  const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + aheadMs) }
  const start = () =>
    awsGrant({
      hub,
      tags: { team: 'blue' },
      ...clients,
      isEks: async () => true,
      kube,
      clock,
      random: randomFrom(() => 0),
      checkpoint: () => {},
      tell: () => {},
    })
  return {
    aws,
    account,
    cluster,
    clients,
    elsewhere,
    open,
    makeManagedRole,
    start,
    ensure: async (grant = start()) => await grant.ensure(await clusters.get('west')),
    revoke: async () => await start().revoke(await clusters.get('west')),
    /** Comes back for as long as it is told to, without the waits. */
    async toEnd(act: 'ensure' | 'revoke') {
      const grant = start()
      for (;;) {
        const outcome = await grant[act](await clusters.get('west'))
        if (outcome.outcome !== 'requeueAfter') return outcome
        aheadMs += outcome.ms
      }
    },
    async [Symbol.asyncDispose]() {
      clients[Symbol.dispose]()
      elsewhere[Symbol.dispose]()
      await aws.close()
    },
  }
}

test('the SDK makes, finds, changes and removes a role with its policy', async () => {
  await using at = await scene()
  await at.makeManagedRole()
  const { iam } = at.clients
  const trust = JSON.stringify(hubRoleTrust(hub, managed))
  assert.equal(await iam.findRole(roleName), undefined)
  await iam.createRole({ name: roleName, trust, tags: { a: '1' }, description: 'test' })
  await iam.tagRole(roleName, { b: 'ü 2' })
  await iam.putPolicy(roleName, 'ocm-hub-access', JSON.stringify(hubRoleAccess(hub)))
  const role = await iam.findRole(roleName)
  assert.deepEqual([role?.arn, role?.tags], [roleArn, { a: '1', b: 'ü 2' }])
  assert.ok(isSameDocument(JSON.parse(role?.trust ?? ''), hubRoleTrust(hub, managed)))
  assert.ok(Math.abs((role?.createdAt.getTime() ?? 0) - Date.now()) < 60_000)
  assert.ok(isSameDocument(JSON.parse((await iam.findPolicy(roleName, 'ocm-hub-access')) ?? ''), hubRoleAccess(hub)))
  assert.equal(await iam.findPolicy(roleName, 'other'), undefined)
  assert.deepEqual(await iam.policiesOf(roleName), { inline: ['ocm-hub-access'], attached: [] })
  await assert.rejects(iam.deleteRole(roleName), (error) => isFailure(error, 'AWS_CONFLICT'))
  await iam.deletePolicy(roleName, 'ocm-hub-access')
  for (const _ of [1, 2]) {
    await iam.deletePolicy(roleName, 'ocm-hub-access')
    await iam.detachPolicy(roleName, 'arn:aws:iam::aws:policy/ReadOnlyAccess')
    await iam.deleteRole(roleName)
  }
  assert.deepEqual(await iam.policiesOf(roleName), { inline: [], attached: [] })
})

test('the SDK makes, finds, changes and removes an access entry', async () => {
  await using at = await scene()
  await at.makeManagedRole()
  const { iam, eks } = at.clients
  await iam.createRole({
    name: roleName,
    trust: JSON.stringify(hubRoleTrust(hub, managed)),
    tags: {},
    description: 'x',
  })
  assert.equal(await eks.authenticationMode(), 'API')
  assert.equal(await eks.findAccessEntry(roleArn), undefined)
  const prefix = 'open-cluster-management:'
  const entry = { principalArn: roleArn, username: 'west', groups: [`${prefix}g`], tags: { a: '1' } }
  await eks.createAccessEntry(entry)
  await assert.rejects(eks.createAccessEntry(entry), (error) => isFailure(error, 'AWS_ALREADY_THERE'))
  await eks.updateAccessEntry({ principalArn: roleArn, username: 'east', groups: [`${prefix}h`] })
  const found = await eks.findAccessEntry(roleArn)
  await eks.tagAccessEntry(found?.arn ?? '', { b: '2' })
  const { arn: _, createdAt: madeAt, ...rest } = (await eks.findAccessEntry(roleArn)) ?? {}
  const tags = { a: '1', b: '2' }
  assert.deepEqual(rest, { principalArn: roleArn, username: 'east', groups: [`${prefix}h`], type: 'STANDARD', tags })
  assert.ok(Math.abs(Number(madeAt) - Date.now()) < 60_000)
  for (const __ of [1, 2]) await eks.deleteAccessEntry(roleArn)
  assert.equal(await eks.findAccessEntry(roleArn), undefined)
})

test('every refusal of AWS has its meaning', async () => {
  await using at = await scene()
  const { iam } = at.clients
  const means = (code: string) => (error: unknown) => isFailure(error, code)
  await assert.rejects(iam.findRole('another'), means('AWS_REFUSED'))
  await assert.rejects(iam.updateTrust(roleName, JSON.stringify(hubRoleTrust(hub, managed))), means('AWS_NOT_FOUND'))
  at.aws.faults.add({ action: 'GetRole', do: 'throttle' })
  await assert.rejects(iam.findRole(roleName), means('AWS_THROTTLED'))
  at.aws.faults.add({ action: 'GetRole', do: 'drop' })
  await assert.rejects(iam.findRole(roleName), means('AWS_UNAVAILABLE'))
  using nobody = at.open({ accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'none' })
  await assert.rejects(nobody.iam.findRole(roleName), means('AWS_CREDENTIALS_WRONG'))
})

test('the SDK itself tries again when AWS throttles, a few times only', async () => {
  await using at = await scene()
  using patient = at.open(at.account.admin, 2)
  at.aws.faults.add({ action: 'GetRole', do: 'throttle' })
  assert.equal(await patient.iam.findRole(roleName), undefined)
  at.aws.faults.add({ action: 'GetRole', do: 'throttle', times: 10 })
  const before = at.aws.calls.length
  await assert.rejects(patient.iam.findRole(roleName), (error) => isFailure(error, 'AWS_THROTTLED'))
  assert.equal(at.aws.calls.length - before, 2)
})

test('a grant with the rights of the creator role alone is made, kept right and revoked', async () => {
  await using at = await scene()
  await assert.rejects(at.ensure(), (error) => isFailure(error, 'AWS_MANAGED_ROLE_MISSING'))
  await at.makeManagedRole()
  assert.deepEqual(await at.ensure(), done)
  const role = at.account.role(roleName)
  assert.ok(isSameDocument(role?.trust, hubRoleTrust(hub, managed)))
  assert.deepEqual(at.cluster.accessEntries()[0]?.groups, ['open-cluster-management:west'])
  const calls = at.aws.calls.length
  assert.deepEqual(await at.ensure(), done)
  const again = at.aws.calls.slice(calls).map(({ action }) => action)
  assert.deepEqual(again, ['DescribeCluster', 'GetRole', 'GetRolePolicy', 'DescribeAccessEntry'])

  // A managed role that is made again is another one to IAM, until its ARN is written again.
  await at.elsewhere.iam.deleteRole(managedRoleName(suffix))
  await at.makeManagedRole()
  assert.ok(!isSameDocument(at.account.role(roleName)?.trust, hubRoleTrust(hub, managed)))
  assert.deepEqual(await at.ensure(), done)
  assert.ok(isSameDocument(at.account.role(roleName)?.trust, hubRoleTrust(hub, managed)))

  at.account.attach(roleName, 'arn:aws:iam::aws:policy/ReadOnlyAccess')
  assert.deepEqual(await at.revoke(), done)
  assert.deepEqual([at.account.roles(), at.cluster.accessEntries()], [[], []])
})

test('a role of ours that somebody deletes is made again, and with it an access entry that serves the new one', async () => {
  await using at = await scene()
  await at.makeManagedRole()
  await at.ensure()
  const [old] = at.cluster.accessEntries()
  await at.clients.iam.deletePolicy(roleName, 'ocm-hub-access')
  await at.clients.iam.deleteRole(roleName)
  assert.deepEqual(await at.ensure(), done)
  const [made] = at.cluster.accessEntries()
  assert.notEqual(made?.arn, old?.arn)
  assert.equal(at.account.roles().length, 1)
})

test('on a hub of the mode CONFIG_MAP no access entry is asked for, which EKS would refuse', async () => {
  await using at = await scene()
  at.cluster.authenticationMode = 'CONFIG_MAP'
  await at.makeManagedRole()
  assert.deepEqual([await at.ensure(), await at.revoke()], [done, done])
  assert.ok(!at.aws.calls.some(({ action }) => action.endsWith('AccessEntry')))
  assert.deepEqual(at.account.roles(), [])
})

test('EKS that does not know a new role yet is waited for', async () => {
  await using at = await scene()
  await at.makeManagedRole()
  at.aws.faults.newRolesUnseenFor(2)
  const grant = at.start()
  for (const _ of [1, 2]) assert.deepEqual(await at.ensure(grant), { outcome: 'requeueAfter', ms: 5_000 })
  assert.deepEqual(await at.ensure(grant), done)
})

test('whichever answer of AWS is lost, the next pass ends what was begun', async () => {
  const act = async (at: Awaited<ReturnType<typeof scene>>, pass: () => Promise<unknown>) => {
    const before = at.aws.calls.length
    await pass()
    return at.aws.calls.slice(before).map(({ action }) => action)
  }
  await using whole = await scene()
  await whole.makeManagedRole()
  const [granting, revoking] = [await act(whole, () => whole.ensure()), await act(whole, whole.revoke)]
  assert.ok(granting.includes('CreateAccessEntry') && revoking.includes('DeleteRole'))
  for (const action of new Set(granting)) {
    await using at = await scene()
    await at.makeManagedRole()
    at.aws.faults.add({ action, do: 'lose-answer' })
    await at.ensure().catch(() => {})
    assert.deepEqual(await at.toEnd('ensure'), done, action)
    assert.deepEqual([at.account.roles().length, at.cluster.accessEntries().length], [1, 1], action)
  }
  for (const action of new Set(revoking)) {
    await using at = await scene()
    await at.makeManagedRole()
    await at.ensure()
    at.aws.faults.add({ action, do: 'lose-answer' })
    await at.revoke().catch(() => {})
    assert.deepEqual(await at.toEnd('revoke'), done, action)
    assert.deepEqual([at.account.roles(), at.cluster.accessEntries()], [[], []], action)
  }
})
