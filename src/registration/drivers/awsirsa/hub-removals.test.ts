import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { failures } from './failures.ts'
import { isGranted } from './hub-grant.ts'
import { recordAnnotation } from './hub-record.ts'
import { grantScene } from './testing/grant-scene.ts'
import { roleName } from './testing/samples.ts'

const soon = { outcome: 'requeueAfter', ms: 5_000 }

async function granted() {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  await scene.clock.advance('10m')
  return scene
}

for (const lag of [
  { iam: 12_000, eks: 12_000 },
  { iam: 12_000, eks: 0 },
  { iam: 0, eks: 12_000 },
])
  test(`a cluster that is accepted seconds after its denial gets what AWS only seems to have (${JSON.stringify(lag)})`, async () => {
    const scene = await granted()
    Object.assign(scene.aws.lagMs, lag)
    assert.deepEqual(await scene.revoke(), done)
    await scene.clock.advance('2s')
    for (let tries = 0; tries < 3; tries++) {
      const outcome = await scene.ensure()
      if (outcome.outcome === 'done') break
      assert.deepEqual(outcome, soon)
      assert.equal(await scene.record(), undefined)
      await scene.clock.advance('5s')
    }
    assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 1])
    assert.equal(await scene.record(), `${roleName}:access-entry`)
  })

test('an access entry alone that was removed, whatever AWS answered, is not taken for one that is there', async () => {
  const scene = await granted()
  Object.assign(scene.aws.lagMs, { iam: 12_000, eks: 12_000 })
  scene.aws.failNext('iam.deletePolicy', failures.AWS_REFUSED({ operation: 'iam:DeleteRolePolicy', code: 'x' }))
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 0])
  await scene.clock.advance('2s')
  assert.deepEqual(await scene.ensure(), soon)
  await scene.clock.advance('13s')
  assert.deepEqual(await scene.ensureToEnd(), done)
  assert.equal(scene.aws.entries.size, 1)
})

test('a hub that finds all in place for a cluster without a record has to find it again fifteen seconds later', async () => {
  const scene = await granted()
  Object.assign(scene.aws.lagMs, { iam: 12_000, eks: 12_000 })
  await scene.revoke()
  scene.restart()
  await scene.clock.advance('2s')
  const { changes } = scene.aws
  const before = changes.length
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 15_000 })
  await scene.clock.advance('5s')
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 10_000 })
  assert.deepEqual([await scene.record(), changes.length], [`${roleName}:access-entry:begun`, before])
  await scene.clock.advance('10s')
  assert.deepEqual(await scene.ensure(), done)
  assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 1])
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('what is there indeed is taken over unchanged by a hub that knew nothing of it', async () => {
  const scene = await granted()
  const { stored, changes } = scene.aws
  const before = changes.length
  const body = { metadata: { annotations: { [recordAnnotation]: null } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  scene.restart()
  assert.deepEqual(await scene.ensureToEnd(), done)
  assert.deepEqual([scene.aws.stored, changes.length], [stored, before])
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('a look before a denial speaks for nothing that is found after it', async () => {
  const scene = await granted()
  const body = { metadata: { annotations: { [recordAnnotation]: null } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  scene.restart()
  await scene.ensure()
  scene.aws.failNext('iam.findRole', failures.AWS_REFUSED({ operation: 'iam:GetRole', code: 'x' }))
  await assert.rejects(scene.revoke())
  await scene.clock.advance('20s')
  assert.deepEqual(await scene.ensure(), { outcome: 'requeueAfter', ms: 15_000 })
})

test('whoever made the role itself does not wait to see whether it is there', async () => {
  const scene = grantScene()
  await scene.join()
  const refused = failures.AWS_INVALID({ operation: 'eks:CreateAccessEntry', code: 'InvalidParameterException' })
  scene.aws.failNext('eks.createAccessEntry', refused)
  assert.deepEqual([await scene.ensure(), await scene.ensure()], [soon, done])
})

test('a cluster of a reserved name gets nothing in AWS', async () => {
  const scene = grantScene()
  await scene.join('kube-system')
  const outcome = await scene.ensure('kube-system')
  assert.ok(outcome.outcome === 'terminal' && isFailure(outcome.failure, 'CLUSTER_NAME_RESERVED'))
  const annotations = { [recordAnnotation]: `${roleName}:access-entry` }
  const body = { metadata: { annotations }, spec: { hubAcceptsClient: true } }
  const recorded = await scene.clusters.patch('kube-system', { type: 'merge', body })
  assert.deepEqual([isGranted(recorded), scene.aws.calls], [false, 0])
})

test('what was seen lately is kept up without a question to anybody', async () => {
  const scene = await granted()
  const west = await scene.clusters.get('west')
  assert.deepEqual(await scene.grant().keepUp(west), done)
  const { calls } = scene.aws
  const reads = scene.kube.count('get')
  await scene.clock.advance('9m')
  assert.deepEqual(await scene.grant().keepUp(west), done)
  assert.deepEqual([scene.aws.calls, scene.kube.count('get')], [calls, reads])
})
