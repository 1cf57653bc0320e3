import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { done } from '../../../core/outcome.ts'
import { isConflict } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import { failures } from './failures.ts'
import { recordAnnotation } from './hub-record.ts'
import { grantScene } from './testing/grant-scene.ts'
import { roleName } from './testing/samples.ts'

type Scene = ReturnType<typeof grantScene>

const nothing = { roles: [], entries: [] }
const refused = failures.AWS_REFUSED({ operation: 'test', code: 'Test' })
const place = { role: 'createRole', mapping: 'createAccessEntry' } as const

/** A pass that waits for AWS at one of its changes, while another process of the hub has taken the lead. */
async function held(at: keyof typeof place, signal?: AbortSignal) {
  const scene = grantScene()
  await scene.join()
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { iam, eks } = scene.aws
  const [createRole, createAccessEntry] = [iam.createRole, eks.createAccessEntry]
  const waiting = async () => {
    Object.assign(iam, { createRole })
    Object.assign(eks, { createAccessEntry })
    reached.resolve()
    await gate.promise
  }
  if (at === 'role') iam.createRole = async (role) => await waiting().then(() => createRole(role))
  else eks.createAccessEntry = async (entry) => await waiting().then(() => createAccessEntry(entry))
  const pass = scene.grant().ensure(await scene.clusters.get('west'), signal)
  await reached.promise
  scene.restart()
  return { scene, pass, goOn: gate.resolve }
}

const deny = (scene: Scene) =>
  scene.clusters.patch('west', { type: 'merge', body: { spec: { hubAcceptsClient: false } } })

test('what comes after the cluster was denied by another hub process is removed by whoever asked for it', async () => {
  const { scene, pass, goOn } = await held('role')
  await deny(scene)
  assert.deepEqual(await scene.revokeToEnd(), done)
  goOn()
  await assert.rejects(pass, isConflict)
  assert.deepEqual([scene.aws.stored, await scene.record()], [nothing, undefined])
})

test('so is what AWS does not show yet', async () => {
  const { scene, pass, goOn } = await held('role')
  await deny(scene)
  assert.deepEqual(await scene.revokeToEnd(), done)
  Object.assign(scene.aws.lagMs, { iam: 12_000, eks: 12_000 })
  goOn()
  await assert.rejects(pass, isConflict)
  assert.deepEqual(scene.aws.stored, nothing)
})

test('so is what comes after the cluster is gone', async () => {
  const { scene, pass, goOn } = await held('role')
  const last = await scene.clusters.get('west')
  await scene.clusters.delete('west')
  while ((await scene.grant().revoke(last)).outcome !== 'done') await scene.clock.advance('5s')
  goOn()
  assert.deepEqual(await pass, done)
  assert.deepEqual(scene.aws.stored, nothing)
})

test('what cannot be removed then is put on record again, by which the hub comes back for it', async () => {
  const { scene, pass, goOn } = await held('role')
  await deny(scene)
  assert.deepEqual(await scene.revokeToEnd(), done)
  scene.aws.failNext('eks.deleteAccessEntry', refused)
  goOn()
  await assert.rejects(pass, (error) => isFailure(error, 'AWS_REFUSED'))
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
  assert.deepEqual(await scene.revokeToEnd(), done)
  assert.deepEqual([scene.aws.stored, await scene.record()], [nothing, undefined])
})

test('of a cluster that is gone its namespace tells what could not be removed', async () => {
  const { scene, pass, goOn } = await held('role')
  const { metadata } = await scene.clusters.get('west')
  const collection = scene.kube.of(namespaces)
  await collection.create({ metadata: { name: 'west' } })
  await scene.clusters.delete('west')
  scene.aws.failNext('eks.deleteAccessEntry', refused)
  goOn()
  await assert.rejects(pass, (error) => isFailure(error, 'AWS_REFUSED'))
  const copied = (await collection.get('west')).metadata.annotations?.[recordAnnotation]
  assert.equal(copied, `${roleName}:access-entry:begun ${metadata.uid}`)
})

test('what a cluster is to have after all, though its record is gone, stays and is put on record again', async () => {
  const { scene, pass, goOn } = await held('role')
  assert.deepEqual(await scene.revokeToEnd(), done)
  goOn()
  await assert.rejects(pass, isConflict)
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
  assert.deepEqual(await scene.ensureToEnd(), done)
  assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 1])
})

test('a hub that stops begins no further step, and leaves what it made on record', async () => {
  const stop = new AbortController()
  const { scene, pass, goOn } = await held('role', stop.signal)
  stop.abort()
  goOn()
  await assert.rejects(pass, (error) => error === stop.signal.reason)
  assert.deepEqual(scene.aws.changes, ['iam.createRole'])
  assert.equal(await scene.record(), `${roleName}:access-entry:begun`)
})

test('a hub that stops while another denies the cluster leaves no access behind', async () => {
  const stop = new AbortController()
  const { scene, pass, goOn } = await held('mapping', stop.signal)
  stop.abort()
  await deny(scene)
  // As by somebody who did not wait for what AWS does not show yet.
  const body = { metadata: { annotations: { [recordAnnotation]: null } } }
  await scene.clusters.patch('west', { type: 'merge', body })
  goOn()
  await assert.rejects(pass)
  assert.deepEqual(scene.aws.stored, nothing)
})

test('a role of others that was there first is not taken for one that this pass made', async () => {
  const { scene, pass, goOn } = await held('role')
  await deny(scene)
  assert.deepEqual(await scene.revokeToEnd(), done)
  await scene.aws.iam.createRole({ name: roleName, trust: '{}', tags: { of: 'others' }, description: '' })
  goOn()
  await pass.catch(() => {})
  assert.deepEqual([...scene.aws.roles.keys()], [roleName])
})

test('a revocation that is stopped begins no further step', async () => {
  const scene = grantScene()
  await scene.join()
  await scene.ensure()
  const west = await scene.clusters.get('west')
  await assert.rejects(scene.grant().revoke(west, AbortSignal.abort()), (error) => !isFailure(error))
  assert.deepEqual([scene.aws.roles.size, scene.aws.entries.size], [1, 1])
  assert.equal(await scene.record(), `${roleName}:access-entry`)
})
