import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { failures } from './failures.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { recordAnnotation } from './hub-record.ts'
import { ownTags } from './tags.ts'
import { grantScene } from './testing/grant-scene.ts'
import { managedArn, roleArn, roleName } from './testing/samples.ts'

const said = { operation: 'test', code: 'Test' }
const soon = { outcome: 'requeueAfter', ms: 5_000 }
const nothing = { roles: [], entries: [] }

async function granted() {
  const scene = grantScene()
  await scene.join()
  assert.deepEqual(await scene.ensure(), done)
  return scene
}

const writeRecord = (scene: ReturnType<typeof grantScene>, record: string) =>
  scene.clusters.patch('west', { type: 'merge', body: { metadata: { annotations: { [recordAnnotation]: record } } } })

test('a denial right after the grant forgets nothing that AWS does not show yet', async () => {
  const scene = grantScene()
  Object.assign(scene.aws.lagMs, { iam: 12_000, eks: 12_000 })
  await scene.join()
  await scene.ensure()
  assert.deepEqual(await scene.revoke(), soon)
  assert.equal(await scene.record(), `${roleName}:access-entry`)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual([scene.aws.stored, await scene.record()], [nothing, undefined])
})

test('the record goes after two misses that are fifteen seconds apart, and not after many in a row', async () => {
  const scene = await granted()
  scene.aws.roles.clear()
  scene.aws.entries.clear()
  for (let tries = 0; tries < 5; tries++) assert.deepEqual(await scene.revoke(), soon)
  await scene.clock.advance('14s')
  assert.deepEqual(await scene.revoke(), soon)
  assert.ok(await scene.record())
  await scene.clock.advance('1s')
  assert.deepEqual(await scene.revoke(), done)
  assert.equal(await scene.record(), undefined)
})

test('a miss before something was found again does not count', async () => {
  const scene = await granted()
  const { entries } = scene.aws
  const saved = new Map(entries)
  scene.aws.roles.clear()
  entries.clear()
  assert.deepEqual(await scene.revoke(), soon)
  await scene.clock.advance('10s')
  for (const [arn, entry] of saved) entries.set(arn, entry)
  scene.aws.failNext('eks.deleteAccessEntry', failures.AWS_REFUSED(said))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_REFUSED'))
  await scene.clock.advance('10s')
  entries.clear()
  assert.deepEqual(await scene.revoke(), soon)
  assert.ok(await scene.record())
})

test('misses of an earlier denial do not count after the cluster was accepted again', async () => {
  const scene = await granted()
  scene.aws.entries.clear()
  assert.deepEqual(await scene.revoke(), soon)
  await scene.clock.advance('20s')
  await scene.ensure()
  scene.aws.entries.clear()
  assert.deepEqual(await scene.revoke(), soon)
})

test('a role that IAM does not show for a moment keeps its access entry', async () => {
  const scene = await granted()
  const { stored } = scene.aws
  scene.aws.lagMs.iam = 1_000
  scene.restart()
  assert.deepEqual(await scene.ensure(), soon)
  assert.deepEqual(scene.aws.stored, stored)
  await scene.clock.advance('5s')
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual(scene.aws.stored, stored)
})

test('a role that somebody removed is made again, and its access entry after it', async () => {
  const scene = await granted()
  scene.aws.roles.clear()
  scene.aws.changes.length = 0
  await scene.clock.advance('10m')
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual(scene.aws.changes, [
    'iam.createRole',
    'iam.putPolicy',
    'eks.deleteAccessEntry',
    'eks.createAccessEntry',
  ])
})

test('a denial cuts access though all tags were stripped, tells of the role that it leaves, and is over', async () => {
  const scene = await granted()
  const role = scene.aws.roles.get(roleName)
  const entry = scene.aws.entries.get(roleArn)
  assert.ok(role && entry)
  role.tags = {}
  entry.tags = {}
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual([scene.aws.entries.size, scene.aws.roles.size], [0, 1])
  assert.deepEqual([await scene.record(), scene.told], [undefined, ['west AWS_ROLE_LEFT']])
})

test('a forged record neither harms the role that it names nor keeps the cluster from going', async () => {
  const scene = grantScene()
  await scene.join('west', {})
  const other = 'ocm-hub-00000000000000000000000000000000'
  await scene.aws.iam.createRole({ name: other, trust: '{}', tags: { of: 'others' }, description: '' })
  const { stored } = scene.aws
  await writeRecord(scene, `${other}:access-entry`)
  assert.deepEqual(await scene.revoke(), soon)
  assert.deepEqual(scene.told, [])
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual([scene.aws.stored, await scene.record(), scene.told], [stored, undefined, ['west AWS_ROLE_LEFT']])
})

test('the recorded role goes first, without a question for the mode, and whatever becomes of the claimed one', async () => {
  const scene = await granted()
  const body = { metadata: { annotations: { [awsAnnotations.arn]: `${managedArn}-2` } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  scene.restart()
  scene.aws.failNext('eks.authenticationMode', failures.AWS_REFUSED(said))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.deepEqual(scene.aws.stored, nothing)
})

test('the claimed role goes also where the recorded one cannot', async () => {
  const scene = await granted()
  const other = 'ocm-hub-00000000000000000000000000000000'
  await scene.aws.iam.createRole({ name: other, trust: '{}', tags: {}, description: '' })
  await writeRecord(scene, `${other}:access-entry`)
  scene.aws.failNext('iam.findRole', failures.AWS_REFUSED(said))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.deepEqual([[...scene.aws.roles.keys()], scene.aws.entries.size], [[other], 0])
})

test('a role that is made in another account is told, and nothing is mapped; a denial removes it', async () => {
  const scene = grantScene()
  scene.aws.account = '999999999999'
  await scene.join()
  for (let tries = 0; tries < 2; tries++)
    await assert.rejects(
      scene.ensure(),
      (error) => isFailure(error, 'AWS_ROLE_ELSEWHERE') && /999999999999.*123456789012/.test(error.message),
    )
  assert.deepEqual(scene.aws.changes, ['iam.createRole'])
  assert.equal(scene.aws.roles.get(roleName)?.tags[ownTags.managedCluster], 'west')
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual(scene.aws.stored, nothing)
})

test('a record of an access entry neither stops nor holds a cluster on a hub of the mode CONFIG_MAP', async () => {
  const scene = grantScene()
  scene.aws.mode = 'CONFIG_MAP'
  await scene.join()
  await writeRecord(scene, `${roleName}:access-entry`)
  assert.deepEqual(await scene.ensure(), done)
  assert.equal(await scene.record(), `${roleName}:aws-auth`)
  await writeRecord(scene, `${roleName}:access-entry,aws-auth`)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual([scene.aws.stored, await scene.record()], [nothing, undefined])
})

test('what IAM contradicts itself about is waited for two minutes, then told, and counts anew after a success', async () => {
  for (const [operation, failure] of [
    ['iam.createRole', failures.AWS_ALREADY_THERE(said)],
    ['iam.putPolicy', failures.AWS_NOT_FOUND(said)],
  ] as const) {
    const scene = grantScene()
    await scene.join()
    const failing = () => {
      scene.aws.failNext(operation, failure)
      return scene.ensure()
    }
    assert.deepEqual(await failing(), soon)
    await scene.clock.advance('119s')
    assert.deepEqual(await failing(), soon)
    await scene.clock.advance('1s')
    await assert.rejects(failing(), (error) => error === failure)
    assert.deepEqual(await scene.ensure(), done)
    scene.aws.roles.clear()
    scene.restart()
    assert.deepEqual(await failing(), soon)
  }
})

test('what AWS says it is changing is waited for one minute, then told, and tried on', async () => {
  const scene = await granted()
  const changing = failures.AWS_CONFLICT({ operation: 'iam:DeleteRole', code: 'ConcurrentModificationException' })
  const failing = () => {
    scene.aws.failNext('iam.deleteRole', changing)
    return scene.revoke()
  }
  assert.deepEqual(await failing(), soon)
  await scene.clock.advance('59s')
  assert.deepEqual(await failing(), soon)
  await scene.clock.advance('1s')
  for (let tries = 0; tries < 2; tries++) await assert.rejects(failing(), (error) => error === changing)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual(scene.aws.stored, nothing)
})

test('an account that is throttled for five minutes is told of, wherever AWS asks to slow down', async () => {
  const scene = grantScene()
  await scene.join()
  const later = { outcome: 'requeueAfter', ms: 30_000 }
  const throttled = failures.AWS_THROTTLED(said)
  const failing = (operation: 'iam.findRole' | 'iam.createRole') => {
    scene.aws.failNext(operation, throttled)
    return scene.ensure()
  }
  assert.deepEqual(await failing('iam.findRole'), later)
  await scene.clock.advance('299s')
  assert.deepEqual(await failing('iam.createRole'), later)
  await scene.clock.advance('1s')
  await assert.rejects(failing('iam.findRole'), (error) => error === throttled)
  assert.deepEqual(await scene.ensure(), done)
})
