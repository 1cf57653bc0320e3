import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { failures } from './failures.ts'
import { grantScene } from './testing/grant-scene.ts'

const said = { operation: 'test', code: 'Test' }

test('where AWS asks to slow down, the cluster comes back after a pause, without a failure', async () => {
  const scene = grantScene()
  await scene.join()
  for (const operation of ['eks.authenticationMode', 'iam.findRole', 'iam.createRole', 'iam.putPolicy'] as const) {
    scene.aws.failNext(operation, failures.AWS_THROTTLED(said))
    assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 30_000 })
  }
  assert.deepEqual(await scene.ensure(), done)
  scene.aws.failNext('iam.deleteRole', failures.AWS_THROTTLED(said))
  assert.deepEqual(await scene.revoke(), { outcome: 'requeueAfter', ms: 30_000 })
  assert.deepEqual(await scene.revokeToEnd(), done)
})

test('EKS that does not know the new role yet is waited for, up to two minutes', async () => {
  const scene = grantScene()
  await scene.join()
  const unknown = failures.AWS_INVALID({ operation: 'eks:CreateAccessEntry', code: 'InvalidParameterException' })
  const fail = () => scene.aws.failNext('eks.createAccessEntry', unknown)
  fail()
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 5_000 })
  await scene.clock.advance('119s')
  fail()
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 5_000 })
  await scene.clock.advance('1s')
  fail()
  await assert.rejects(scene.ensure(), (error) => isFailure(error, 'AWS_ROLE_UNKNOWN_TO_EKS'))
  assert.deepEqual(await scene.ensure(), done)
})

test('what one part of IAM does not know yet of another is waited for', async () => {
  const scene = grantScene()
  await scene.join()
  scene.aws.failNext('iam.createRole', failures.AWS_ALREADY_THERE(said))
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 5_000 })
  scene.aws.failNext('iam.putPolicy', failures.AWS_NOT_FOUND(said))
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 5_000 })
  assert.deepEqual(await scene.ensure(), done)
})

test('a managed role that is not there yet is named, and so is what holds a role that should go', async () => {
  const scene = grantScene()
  await scene.join()
  const malformed = { operation: 'iam:CreateRole', code: 'MalformedPolicyDocumentException' }
  scene.aws.failNext('iam.createRole', failures.AWS_INVALID(malformed))
  await assert.rejects(
    scene.ensure(),
    (error) =>
      isFailure(error, 'AWS_MANAGED_ROLE_MISSING') && error.message.includes(':567890123456:role/ocm-managed-'),
  )
  await scene.ensure()
  const held = { operation: 'iam:DeleteRole', code: 'DeleteConflictException' }
  scene.aws.failNext('iam.deleteRole', failures.AWS_CONFLICT(held))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_ROLE_IN_USE'))
  const changing = { operation: 'iam:DeleteRole', code: 'ConcurrentModificationException' }
  scene.aws.failNext('iam.deleteRole', failures.AWS_CONFLICT(changing))
  assert.deepEqual(await scene.revoke(), { outcome: 'requeueAfter', ms: 5_000 })
  assert.deepEqual(await scene.revokeToEnd(), done)
})
