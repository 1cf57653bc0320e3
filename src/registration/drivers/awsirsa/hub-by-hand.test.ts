import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { failures } from './failures.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { grantByHand, grantOrByHand } from './hub-by-hand.ts'
import type { AwsGrant } from './hub-grant.ts'
import { recordAnnotation } from './hub-record.ts'
import { grantScene } from './testing/grant-scene.ts'
import { aManagedCluster, hub, managedArn, roleName } from './testing/samples.ts'
import { failures as tokenFailures } from './token/failures.ts'

const inPlace = { [recordAnnotation]: `${roleName}:access-entry` }
const begun = { [recordAnnotation]: `${roleName}:access-entry:begun` }
const marked = { [awsAnnotations.arn]: managedArn }

const cluster = (annotations: Record<string, string>) => ({
  ...aManagedCluster('west'),
  metadata: { name: 'west', uid: 'u1', resourceVersion: '1', annotations },
})

test('by hand, a record of what is in place is enough, and nothing less is', async () => {
  const grant = grantByHand(hub)
  assert.deepEqual(await grant.ensure(cluster({ ...marked, ...inPlace })), done)
  for (const record of [{}, begun])
    await assert.rejects(
      grant.ensure(cluster({ ...marked, ...record })),
      (error) => isFailure(error, 'AWS_ACCEPT_BY_HAND') && error.message.includes('`lanyard accept west`'),
    )
  assert.deepEqual(await grant.ensure(cluster({})), done)
})

test('by hand, what a cluster says of itself is judged as it is elsewhere', async () => {
  const grant = grantByHand(hub)
  const codes = []
  for (const annotations of [
    { [awsAnnotations.fieldSuffix]: 'x' },
    { [awsAnnotations.arn]: `${managedArn}-2`, ...inPlace },
    inPlace,
  ]) {
    const outcome = await grant.ensure(cluster(annotations))
    codes.push(outcome.outcome === 'terminal' && outcome.failure.code)
  }
  assert.deepEqual(codes, ['AWS_ANNOTATION_MISSING', 'AWS_ARN_CHANGED', 'AWS_ARN_CHANGED'])
})

test('by hand, a cluster does not go before its role, and it is told which command removes that', async () => {
  const grant = grantByHand(hub)
  for (const record of [inPlace, begun])
    await assert.rejects(
      grant.revoke(cluster({ ...marked, ...record })),
      (error) => isFailure(error, 'AWS_REVOKE_BY_HAND') && error.message.includes('`lanyard deny west`'),
    )
  assert.deepEqual(await grant.revoke(cluster(marked)), done)
  assert.deepEqual(await grant.revoke(cluster({})), done)
})

test('by hand, no command is named for a cluster that is gone: none could find it', async () => {
  const gone = cluster(inPlace)
  gone.metadata.resourceVersion = ''
  await assert.rejects(
    grantByHand(hub).revoke(gone),
    (error) =>
      isFailure(error, 'AWS_ROLE_OF_EARLIER') && error.message.includes(`${recordAnnotation} of namespace west`),
  )
})

for (const missing of [
  failures.AWS_NO_CREDENTIALS({ operation: 'eks:DescribeCluster' }),
  tokenFailures.AWS_CREDENTIALS_MISSING({ detail: 'x' }),
])
  test(`a hub that finds no credentials goes by the record, and searches again after a minute (${missing.code})`, async () => {
    const scene = grantScene()
    const grant = grantOrByHand(scene.grant(), hub, scene.clock)
    const west = await scene.join()
    scene.aws.failNext('eks.authenticationMode', missing)
    await assert.rejects(grant.ensure(west), (error) => isFailure(error, 'AWS_ACCEPT_BY_HAND'))
    const { calls } = scene.aws
    await scene.clock.advance('59s')
    await assert.rejects(grant.ensure(west), (error) => isFailure(error, 'AWS_ACCEPT_BY_HAND'))
    assert.deepEqual([scene.aws.calls, await grant.keepUp(west)], [calls, done])
    await scene.clock.advance('1s')
    assert.deepEqual(await grant.ensure(west), done)
    assert.equal(scene.aws.roles.size, 1)
  })

test('a hub that lost its credentials keeps its clusters, and lets go of none that has a role', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  scene.restart()
  const missing = failures.AWS_NO_CREDENTIALS({ operation: 'x' })
  const grant = grantOrByHand(scene.grant(), hub, scene.clock)
  scene.aws.failNext('eks.authenticationMode', missing)
  assert.deepEqual(await grant.ensure(await scene.clusters.get('west')), done)
  await scene.clock.advance('1m')
  scene.aws.failNext('iam.findRole', missing)
  await assert.rejects(grant.revoke(await scene.clusters.get('west')), (error) =>
    isFailure(error, 'AWS_REVOKE_BY_HAND'),
  )
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('any other failure is thrown as it is', async () => {
  const refused = failures.AWS_REFUSED({ operation: 'x', code: 'y' })
  const failing = async () => {
    throw refused
  }
  const own: AwsGrant = { ensure: failing, keepUp: failing, revoke: failing, hasHadCredentials: () => false }
  const grant = grantOrByHand(own, hub, grantScene().clock)
  const west = cluster({ ...marked, ...begun })
  for (const act of [grant.ensure(west), grant.revoke(west), grant.keepUp(west)])
    await assert.rejects(act, (error) => error === refused)
})

test('what is in place is not looked at with each change of its cluster, and no failure of AWS can end it', async () => {
  const scene = grantScene()
  const grant = grantOrByHand(scene.grant(), hub, scene.clock)
  await grant.ensure(await scene.join())
  await scene.clock.advance('1h')
  const { calls } = scene.aws
  assert.deepEqual(await grant.ensure(await scene.clusters.get('west')), done)
  assert.equal(scene.aws.calls, calls)
  const claimed = await scene.clusters.patch('west', {
    type: 'merge',
    body: { metadata: { annotations: { [awsAnnotations.arn]: `${managedArn}-2` } } },
  })
  assert.equal((await grant.ensure(claimed)).outcome, 'terminal')
})

test('a hub that has had credentials does not leave its work to people when a search for them fails', async () => {
  const scene = grantScene()
  const grant = grantOrByHand(scene.grant(), hub, scene.clock)
  await grant.ensure(await scene.join())
  const east = await scene.join('east', { [awsAnnotations.arn]: `${managedArn}-2` })
  scene.aws.failNext('iam.findRole', failures.AWS_NO_CREDENTIALS({ operation: 'iam:GetRole' }))
  await assert.rejects(grant.ensure(east), (error) => isFailure(error, 'AWS_NO_CREDENTIALS'))
  assert.deepEqual(await grant.ensure(east), done)
  assert.equal(scene.aws.roles.size, 2)
})
