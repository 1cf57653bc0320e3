import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { isConflict } from '../../../kube/failures.ts'
import { configMaps } from '../../../kube/kinds.ts'
import { failures } from './failures.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { recordAnnotation } from './hub-record.ts'
import { entriesFor, readMapRoles } from './mapping/map-roles.ts'
import { hubRoleName, roleSuffix } from './names.ts'
import { ownTags } from './tags.ts'
import { grantScene } from './testing/grant-scene.ts'
import { eksCluster, fieldAnnotations, hub, managedArn, roleArn, roleName } from './testing/samples.ts'

type Scene = ReturnType<typeof grantScene>

const said = { operation: 'test', code: 'Test' }

const inAwsAuth = async ({ kube }: Scene, arn = roleArn) =>
  entriesFor(readMapRoles((await kube.of(configMaps, 'kube-system').find('aws-auth'))?.data?.['mapRoles'] ?? ''), arn)

test('an accepted cluster gets role, access policy and access entry, with our tags and those of people', async () => {
  const scene = grantScene()
  const { metadata } = await scene.join()
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual(scene.aws.changes, ['iam.createRole', 'iam.putPolicy', 'eks.createAccessEntry'])
  const tags = {
    team: 'blue',
    [ownTags.hubCluster]: hub.arn,
    [ownTags.managedCluster]: 'west',
    [ownTags.managedClusterUid]: metadata.uid,
  }
  assert.deepEqual(scene.aws.roles.get(roleName)?.tags, tags)
  const { username, groups, tags: onEntry } = scene.aws.entries.get(roleArn) ?? {}
  assert.deepEqual(
    [username, groups, onEntry],
    ['open-cluster-management:west', ['open-cluster-management:west'], tags],
  )
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('on a hub of the mode CONFIG_MAP it gets an entry in aws-auth, and no access entry is asked for', async () => {
  const scene = grantScene()
  scene.aws.mode = 'CONFIG_MAP'
  await scene.join()
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual(scene.aws.changes, ['iam.createRole', 'iam.putPolicy'])
  const groups = ['system:open-cluster-management:west']
  assert.deepEqual(await inAwsAuth(scene), [
    { roleArn, username: 'system:open-cluster-management:west:awsirsa', groups },
  ])
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual([await inAwsAuth(scene), scene.aws.roles.size], [[], 0])
})

test('what is about to be made is on record before anything is changed in AWS', async () => {
  const scene = grantScene()
  await scene.join()
  scene.aws.failNext('iam.createRole', failures.AWS_REFUSED(said))
  await assert.rejects(scene.ensure(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
  assert.equal(scene.aws.roles.size, 0)
  assert.deepEqual(await scene.ensure(), done)
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('what was in place once is not begun again by its repair', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  scene.aws.roles.get(roleName)?.inline.clear()
  scene.restart()
  scene.aws.failNext('iam.putPolicy', failures.AWS_REFUSED(said))
  await assert.rejects(scene.ensure(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('a hub that is none of EKS goes by aws-auth, both ways', async () => {
  const scene = grantScene()
  scene.leaveEks()
  await scene.join()
  assert.deepEqual(await scene.ensure(), done)
  assert.equal(await scene.record(), `${roleName}:aws-auth`)
  assert.equal((await inAwsAuth(scene)).length, 1)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual([await inAwsAuth(scene), scene.aws.stored], [[], { roles: [], entries: [] }])
})

test('what is in order is looked at again after ten minutes, and not changed', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  const calls = scene.aws.calls
  await scene.clock.advance('599s')
  await scene.ensure()
  assert.equal(scene.aws.calls, calls)
  await scene.clock.advance('1s')
  assert.deepEqual(await scene.ensure(), done)
  assert.ok(scene.aws.calls > calls)
  assert.equal(scene.aws.changes.length, 3)
})

test('a cluster without annotations of AWS is untouched, whatever happens to it', async () => {
  const scene = grantScene()
  await scene.join('west', {})
  assert.deepEqual([await scene.ensure(), await scene.revoke()], [done, done])
  assert.deepEqual([scene.aws.calls, scene.kube.count('patch')], [0, 0])
})

test('a suffix of another hub is refused for good, without a call to AWS', async () => {
  const scene = grantScene()
  await scene.join('west', { ...fieldAnnotations(), [awsAnnotations.fieldSuffix]: 'f'.repeat(32) })
  const outcome = await scene.ensure()
  assert.ok(outcome.outcome === 'terminal')
  assert.equal(outcome.failure.code, 'AWS_SUFFIX_WRONG')
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual([scene.aws.calls, await scene.record()], [0, undefined])
})

test('nothing is made for a cluster that is gone from the hub', async () => {
  const scene = grantScene()
  const last = await scene.join()
  await scene.clusters.delete('west')
  assert.deepEqual(await scene.grant().ensure(last), done)
  assert.deepEqual(scene.aws.changes, [])
})

test('a role that is not ours is left alone, with a failure that can end, and without a record', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.aws.iam.createRole({ name: roleName, trust: '{}', tags: { by: 'hand' }, description: '' })
  const { stored } = scene.aws
  await assert.rejects(scene.ensure(), (error) => isFailure(error, 'AWS_ROLE_FOREIGN'))
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual([scene.aws.stored, await scene.record()], [stored, undefined])
  await scene.aws.iam.deleteRole(roleName)
  assert.deepEqual(await scene.ensure(), done)
})

test('a cluster that pretends to have the ARN of another neither gets its role nor takes it down', async () => {
  for (const mode of ['API', 'CONFIG_MAP'] as const) {
    const scene = grantScene()
    scene.aws.mode = mode
    await scene.join('west')
    await scene.join('east')
    await scene.ensure('west')
    const before = [scene.aws.stored, await inAwsAuth(scene)]
    await assert.rejects(scene.ensure('east'), (error) => isFailure(error, 'AWS_ROLE_FOREIGN'))
    assert.deepEqual(await scene.revoke('east'), done)
    assert.deepEqual([scene.aws.stored, await inAwsAuth(scene)], before)
  }
})

test('a hub that moves to access entries takes its clusters along, the old entry last', async () => {
  const scene = grantScene()
  scene.aws.mode = 'CONFIG_MAP'
  await scene.join()
  await scene.ensure()
  scene.aws.mode = 'API_AND_CONFIG_MAP'
  await scene.clock.advance('10m')
  scene.passed.length = 0
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual(scene.passed, ['aws.recorded', 'aws.mapped', 'aws.unmapped', 'aws.recorded'])
  assert.deepEqual([await inAwsAuth(scene), scene.aws.entries.size], [[], 1])
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('a cluster that says it is another one than was accepted keeps what it has until it is accepted anew', async () => {
  const other = `${managedArn}-2`
  for (const arn of [other, null]) {
    const scene = grantScene()
    await scene.join()
    await scene.ensure()
    const { stored } = scene.aws
    await scene.clusters.patch('west', {
      type: 'merge',
      body: { metadata: { annotations: { [awsAnnotations.arn]: arn } } },
    })
    scene.restart()
    const outcome = await scene.ensure()
    assert.ok(outcome.outcome === 'terminal')
    assert.equal(outcome.failure.code, 'AWS_ARN_CHANGED')
    assert.deepEqual([scene.aws.stored, await scene.record()], [stored, `${roleName}:access-entry`])
    assert.deepEqual(await scene.revoke(), done)
    assert.deepEqual([scene.aws.stored, await scene.record()], [{ roles: [], entries: [] }, undefined])
    assert.deepEqual(await scene.ensure(), done)
    assert.deepEqual([...scene.aws.roles.keys()], arn ? [hubRoleName(roleSuffix(hub, eksCluster(arn)))] : [])
  }
})

test('a write of somebody else to the cluster does not get in the way of the record', async () => {
  const scene = grantScene()
  const old = await scene.join()
  await scene.clusters.patch('west', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
  assert.deepEqual(await scene.grant().ensure(old), done)
  assert.equal(await scene.record(), `${roleName}:access-entry`)
  assert.deepEqual((await scene.clusters.get('west')).metadata.labels, { a: 'b' })
})

test('a record that this pass has not seen is not written over, and nothing is made', async () => {
  const scene = grantScene()
  const old = await scene.join()
  const body = { metadata: { annotations: { [recordAnnotation]: 'ocm-hub-other:aws-auth' } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  await assert.rejects(scene.grant().ensure(old), isConflict)
  assert.deepEqual([scene.aws.changes, await scene.record()], [[], 'ocm-hub-other:aws-auth'])
})

test('what was seen of a cluster before another one took its name makes nothing, and leaves the record of the other', async () => {
  const scene = grantScene()
  const old = await scene.join()
  await scene.clusters.delete('west')
  await scene.join()
  assert.deepEqual(await scene.grant().ensure(old), done)
  assert.deepEqual(scene.aws.changes, [])
})
