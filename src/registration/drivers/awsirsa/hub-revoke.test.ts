import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { failures } from './failures.ts'
import { recordAnnotation } from './hub-record.ts'
import { grantScene } from './testing/grant-scene.ts'
import { roleName } from './testing/samples.ts'

test('to revoke cuts access first, removes what others put on the role, and then the record', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  scene.aws.roles.get(roleName)?.inline.set('by-others', '{}')
  scene.aws.roles.get(roleName)?.attached.add('arn:aws:iam::aws:policy/ReadOnlyAccess')
  scene.aws.changes.length = 0
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual(scene.aws.changes, [
    'eks.deleteAccessEntry',
    'iam.deletePolicy',
    'iam.deletePolicy',
    'iam.detachPolicy',
    'iam.deleteRole',
  ])
  assert.deepEqual(scene.aws.stored, { roles: [], entries: [] })
  assert.equal(await scene.record(), undefined)
  const { calls } = scene.aws
  assert.deepEqual(await scene.revoke(), done)
  assert.equal(scene.aws.calls, calls)
})

test('a cluster that is accepted again after its denial gets everything again', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  const { stored } = scene.aws
  await scene.revoke()
  await scene.ensure()
  assert.deepEqual(scene.aws.stored, stored)
})

test('to revoke works for a cluster that is gone from the hub, by what was last seen of it', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  const last = await scene.clusters.get('west')
  await scene.clusters.delete('west')
  assert.deepEqual(await scene.grant().revoke(last), done)
  assert.deepEqual(scene.aws.stored, { roles: [], entries: [] })
})

test('a record that somebody removed does not keep the access of a denied cluster', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  const body = { metadata: { annotations: { [recordAnnotation]: null } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  scene.restart()
  assert.deepEqual(await scene.revoke(), done)
  assert.deepEqual(scene.aws.stored, { roles: [], entries: [] })
})

test('a hub without credentials lets a cluster go that it made nothing for, and no other', async () => {
  const scene = grantScene()
  await scene.join()
  const nobody = failures.AWS_NO_CREDENTIALS({ operation: 'iam:GetRole' })
  scene.aws.failNext('iam.findRole', nobody)
  assert.deepEqual(await scene.revoke(), done)
  await scene.ensure()
  scene.aws.failNext('iam.findRole', nobody)
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_NO_CREDENTIALS'))
})

test('what is being taken away is not on record as in place any more, whatever happens then', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  scene.aws.failNext('iam.deleteRole', failures.AWS_REFUSED({ operation: 'iam:DeleteRole', code: 'AccessDenied' }))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.equal(await scene.record(), undefined)
})

test('a hub that has had credentials does not let a cluster go because a search for them failed', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  await scene.revokeToEnd()
  await scene.clock.advance('10m')
  scene.aws.failNext('iam.findRole', failures.AWS_NO_CREDENTIALS({ operation: 'iam:GetRole' }))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_NO_CREDENTIALS'))
})
