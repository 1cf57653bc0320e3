import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { randomFrom } from '../../../core/random.ts'
import type { Step } from '../../../core/step.ts'
import { acceptByCaller, revokeByCaller } from './accept.ts'
import { failures } from './failures.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { grantByHand } from './hub-by-hand.ts'
import { grantScene } from './testing/grant-scene.ts'
import { hub, roleArn, roleName } from './testing/samples.ts'

/** A person at the hub of a scene; time passes for as long as they wait. */
function callerScene() {
  const scene = grantScene()
  const { kube, aws, clock, clusters } = scene
  const left: Failure[] = []
  const deps = {
    hub,
    kube,
    iam: aws.iam,
    eks: aws.eks,
    isEks: async () => true,
    tags: { team: 'blue' },
    clock,
    random: randomFrom(() => 0),
    tell: (failure: Failure) => left.push(failure),
  }
  async function stepsOf(steps: AsyncGenerator<Step>): Promise<string[]> {
    const told: string[] = []
    for (;;) {
      const next = steps.next()
      // What is a pause in here ends only with the clock; the steps themselves need none of its time.
      let isOver = false
      void next.then(
        () => (isOver = true),
        () => (isOver = true),
      )
      for (await clock.settle(); !isOver; ) await clock.advance('1s')
      const { done: isDone, value } = await next
      if (isDone) return told
      told.push('did' in value ? value.did : value.doing)
    }
  }
  return {
    ...scene,
    left,
    accept: (name = 'west') => stepsOf(acceptByCaller(deps, name)),
    revoke: (name = 'west') => stepsOf(revokeByCaller(deps, name)),
    deny: (name = 'west') => clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: false } } }),
    byHub: grantByHand(hub),
    current: (name = 'west') => clusters.get(name),
  }
}

test('a person makes what the hub would, and the hub without credentials counts it as done', async () => {
  const byPerson = callerScene()
  await byPerson.join()
  await assert.rejects(byPerson.byHub.ensure(await byPerson.current()))
  assert.deepEqual(await byPerson.accept(), [
    'making the AWS role of west',
    'the role is made',
    'the access policy of the role is written',
    'the hub knows the role as the cluster',
    'west has its AWS role',
  ])
  const byHub = grantScene()
  await byHub.join()
  await byHub.ensure()
  assert.deepEqual(byPerson.aws.stored, byHub.aws.stored)
  assert.equal(await byPerson.record(), await byHub.record())
  assert.deepEqual(await byPerson.byHub.ensure(await byPerson.current()), done)
})

test('the record comes before the role, and says that it is not finished', async () => {
  const scene = callerScene()
  await scene.join()
  scene.aws.failNext('iam.putPolicy', failures.AWS_REFUSED({ operation: 'iam:PutRolePolicy', code: 'AccessDenied' }))
  await assert.rejects(scene.accept(), (error) => isFailure(error, 'AWS_REFUSED'))
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
  await assert.rejects(scene.byHub.ensure(await scene.current()), (error) => isFailure(error, 'AWS_ACCEPT_BY_HAND'))
  await scene.accept()
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})

test('to accept what is in place changes nothing', async () => {
  const scene = callerScene()
  await scene.join()
  await scene.accept()
  const changes = scene.aws.changes.length
  assert.deepEqual(await scene.accept(), ['making the AWS role of west', 'west has its AWS role'])
  assert.equal(scene.aws.changes.length, changes)
})

test('where AWS needs time, the person is told and waits with it', async () => {
  const scene = callerScene()
  await scene.join()
  const unknown = { operation: 'eks:CreateAccessEntry', code: 'InvalidParameterException' }
  scene.aws.failNext('eks.createAccessEntry', failures.AWS_INVALID(unknown))
  const steps = await scene.accept()
  assert.ok(steps.includes('waiting for AWS, which needs some seconds'))
  assert.equal(steps.at(-1), 'west has its AWS role')
})

for (const lag of [
  { iam: 8_000, eks: 8_000 },
  { iam: 8_000, eks: 0 },
  { iam: 0, eks: 8_000 },
])
  test(`accepted seconds after a denial by another process, it has a role that is there (${JSON.stringify(lag)})`, async () => {
    const scene = callerScene()
    await scene.join()
    await scene.accept()
    await scene.clock.advance('1h')
    Object.assign(scene.aws.lagMs, lag)
    await scene.deny()
    await scene.revoke()
    const steps = await scene.accept()
    assert.equal(steps.filter((step) => step.startsWith('waiting until AWS shows')).length, lag.iam > 0 ? 1 : 0)
    assert.equal(steps.at(-1), 'west has its AWS role')
    assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 1])
    assert.equal(await scene.record(), `${roleName}:access-entry`)
  })

test('a cluster that goes meanwhile is not said to have its role', async () => {
  const scene = callerScene()
  await scene.join()
  const { createAccessEntry } = scene.aws.eks
  scene.aws.eks.createAccessEntry = async (entry) => {
    await scene.clusters.delete('west')
    await createAccessEntry(entry)
  }
  assert.equal((await scene.accept()).at(-1), 'west went meanwhile')
  assert.deepEqual(scene.aws.stored, { roles: [], entries: [] })
})

test('no role is made under a reserved name', async () => {
  const scene = callerScene()
  await scene.join('managed-clusters')
  await assert.rejects(scene.accept('managed-clusters'), (error) => isFailure(error, 'CLUSTER_NAME_RESERVED'))
  assert.equal(scene.aws.calls, 0)
})

test('what a cluster says wrongly of itself is told, and nothing is made', async () => {
  const scene = callerScene()
  await scene.join('west', { [awsAnnotations.fieldSuffix]: 'x' })
  await assert.rejects(scene.accept(), (error) => isFailure(error, 'AWS_ANNOTATION_MISSING'))
  assert.deepEqual([scene.aws.calls, await scene.record()], [0, undefined])
})

test('a cluster that does not come by AWS, or is not there, is none of its business', async () => {
  const scene = callerScene()
  await scene.join('west', {})
  for (const name of ['west', 'nobody'])
    assert.deepEqual([await scene.accept(name), await scene.revoke(name)], [[], []])
  assert.equal(scene.aws.calls, 0)
})

test('a person without AWS credentials is told so', async () => {
  const scene = callerScene()
  await scene.join()
  scene.aws.failNext('eks.authenticationMode', failures.AWS_NO_CREDENTIALS({ operation: 'eks:DescribeCluster' }))
  await assert.rejects(scene.accept(), (error) => isFailure(error, 'AWS_NO_CREDENTIALS'))
})

test('a person removes all of a denied cluster, and then the hub lets it go', async () => {
  const scene = callerScene()
  await scene.join()
  await scene.accept()
  await assert.rejects(scene.revoke(), (error) => isFailure(error, 'AWS_STILL_ACCEPTED'))
  assert.equal(scene.aws.roles.size, 1)
  await scene.deny()
  await assert.rejects(scene.byHub.revoke(await scene.current()), (error) => isFailure(error, 'AWS_REVOKE_BY_HAND'))
  assert.deepEqual(await scene.revoke(), [
    'removing the AWS role of west',
    'a mapping of the role is removed',
    'a policy of the role is removed',
    'the role is removed',
    'west has no AWS role any more',
  ])
  assert.deepEqual([scene.aws.stored, await scene.record()], [{ roles: [], entries: [] }, undefined])
  assert.deepEqual(await scene.byHub.revoke(await scene.current()), done)
})

test('a cluster on its way out may lose its role though it is still accepted', async () => {
  const scene = callerScene()
  await scene.join()
  await scene.accept()
  await scene.clusters.patch('west', { type: 'merge', body: { metadata: { finalizers: ['lanyard.io/test'] } } })
  await scene.clusters.delete('west')
  await scene.revoke()
  assert.deepEqual([scene.aws.stored, await scene.record()], [{ roles: [], entries: [] }, undefined])
})

test('a role that lost its tags is left, which the person is told', async () => {
  const scene = callerScene()
  await scene.join()
  await scene.accept()
  for (const role of scene.aws.roles.values()) role.tags = {}
  await scene.deny()
  assert.ok((await scene.revoke()).includes('a role was left alone'))
  assert.deepEqual(
    [scene.left.map(({ code }) => code), [...scene.aws.roles.keys()], scene.aws.entries.has(roleArn)],
    [['AWS_ROLE_LEFT'], [roleName], false],
  )
})

test('the hub and a person who do the same at once do not harm each other', async () => {
  const scene = callerScene()
  await scene.join()
  const [byHub] = await Promise.allSettled([scene.ensure(), scene.accept()])
  assert.equal(await scene.record(), `${roleName}:access-entry`)
  if (byHub.status === 'rejected' || byHub.value.outcome !== 'done') assert.deepEqual(await scene.ensure(), done)
  await scene.deny()
  await Promise.allSettled([scene.revokeToEnd(), scene.revoke()])
  await scene.revoke()
  assert.deepEqual([scene.aws.stored, await scene.record()], [{ roles: [], entries: [] }, undefined])
})
