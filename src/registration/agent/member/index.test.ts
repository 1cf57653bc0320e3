import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterClaim } from '../../../apis/cluster/cluster-claim.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import { events, nodes } from '../../../kube/kinds.ts'
import { memberRun } from './index.ts'
import { aCondition, acceptance, httpFailure, memberScene } from './testing/scene.ts'

async function aMember(t: { after(action: () => void): void }) {
  const scene = memberScene()
  const capacity = { cpu: '4' }
  await scene.memory.of(nodes).create({ metadata: { name: 'n1' }, status: { capacity, allocatable: capacity } })
  await scene.memory.of(ClusterClaim.resource).create({ metadata: { name: 'id.k8s.io' }, spec: { value: 'x' } })
  await scene.lease()
  const stop = scene.run(t, memberRun(scene.deps))
  const writes = () => scene.hub.calls.filter(({ verb, plural }) => verb === 'patch' && plural === 'managedclusters')
  const availability = async () => findCondition((await scene.statusOf())?.conditions, conditions.available)?.status
  return Object.assign(scene, { writes, availability, stop })
}

test('one write tells the hub everything, as soon as it accepts', async (t) => {
  const { cluster, clock, statusOf, writes } = await aMember(t)
  await cluster({ conditions: [] })
  await clock.advance('10m')
  assert.equal(writes().length, 0)
  await cluster({ conditions: [acceptance] })
  await clock.settle(50)
  const status = await statusOf()
  assert.equal(writes().length, 1)
  assert.deepEqual(
    status?.conditions?.map(({ type, status: is }) => [type, is]),
    [
      [conditions.accepted, 'True'],
      [conditions.joined, 'True'],
      [conditions.available, 'True'],
    ],
  )
  assert.deepEqual(status?.capacity, { cpu: '4' })
  assert.deepEqual(status?.version, { kubernetes: 'v1.36.2' })
  assert.deepEqual(status?.clusterClaims, [{ name: 'id.k8s.io', value: 'x' }])
  await clock.advance('1h')
  assert.equal(writes().length, 1, 'what is already so is not written')
})

test('changes of a burst go into one write', async (t) => {
  const { cluster, clock, memory, statusOf, writes } = await aMember(t)
  await cluster({ conditions: [acceptance] })
  await clock.settle(50)
  for (let index = 2; index <= 20; index += 1)
    await memory.of(nodes).create({ metadata: { name: `n${index}` }, status: { capacity: { cpu: '4' } } })
  await clock.advance('1s')
  assert.deepEqual((await statusOf())?.capacity, { cpu: '80' })
  assert.equal(writes().length, 2)
})

test('a managed cluster that hangs does not keep the agent from joining', async (t) => {
  const scene = await aMember(t)
  scene.memory.delayMs = 1_000_000
  await scene.cluster({ conditions: [acceptance] })
  await scene.clock.advance('2s')
  assert.ok(findCondition((await scene.statusOf())?.conditions, conditions.joined))
})

test('Unknown becomes True once the hub has taken a renewal', async (t) => {
  const { cluster, clock, hub, availability, renewedAt } = await aMember(t)
  await cluster({ conditions: [acceptance] })
  await clock.settle(50)
  assert.equal(await availability(), 'True')
  hub.failNext(4, httpFailure(500, 'InternalError'), 'update')
  await clock.advance('60s')
  await cluster({ conditions: [acceptance, aCondition(conditions.available, 'Unknown')] })
  await clock.settle(50)
  const before = renewedAt.length
  assert.equal(await availability(), 'Unknown', 'it is not set by an agent whose lease the hub does not take')
  await clock.advance('5s')
  assert.ok(renewedAt.length > before)
  assert.equal(await availability(), 'True')
})

test('what others write at the same time is kept', async (t) => {
  const { cluster, clock, hub, statusOf } = await aMember(t)
  hub.failNext(1, httpFailure(409, 'Conflict'), 'patch')
  await cluster({ conditions: [acceptance, aCondition(conditions.clockSynced, 'True')] })
  await clock.settle(50)
  assert.deepEqual(
    (await statusOf())?.conditions?.map(({ type }) => type),
    [conditions.accepted, conditions.clockSynced, conditions.joined, conditions.available],
  )
})

test('rights that come a moment late are waited for', async (t) => {
  const { cluster, clock, hub, availability } = await aMember(t)
  hub.failNext(3, httpFailure(403, 'Forbidden'), 'patch')
  await cluster({ conditions: [acceptance] })
  await clock.advance('500ms')
  assert.equal(await availability(), 'True')
})

test('people are told in the namespace of the cluster when it becomes available and unavailable', async (t) => {
  const scene = await aMember(t)
  await scene.cluster({ conditions: [acceptance] })
  await scene.clock.settle(50)
  scene.answer = () => httpFailure(500, 'InternalError')
  await scene.clock.advance('2m')
  assert.equal(await scene.availability(), 'False')
  const { items } = await scene.hub.of(events, 'west').list()
  assert.deepEqual(items.map(({ reason, type, involvedObject }) => [reason, type, involvedObject.kind]).sort(), [
    ['Available', 'Normal', 'ManagedCluster'],
    ['Unavailable', 'Warning', 'ManagedCluster'],
  ])
})

test('claims that are cut are told once', async (t) => {
  const { cluster, clock, hub, memory, statusOf } = await aMember(t)
  for (let index = 10; index < 40; index += 1)
    await memory.of(ClusterClaim.resource).create({ metadata: { name: `c${index}` }, spec: { value: 'v' } })
  await clock.settle(100)
  await cluster({ conditions: [acceptance] })
  await clock.advance('10m')
  assert.equal((await statusOf())?.clusterClaims?.length, 21)
  const { items } = await hub.of(events, 'west').list()
  const told = items.filter(({ reason }) => reason === 'CustomClusterClaimsTruncated')
  assert.deepEqual(
    told.map(({ count }) => count),
    [1],
  )
})

test('an agent that is told to stop stops', async (t) => {
  const { stop, clock, cluster, hub } = await aMember(t)
  await cluster({ conditions: [acceptance] })
  await clock.settle(50)
  stop.abort()
  await clock.settle(50)
  const before = hub.calls.length
  await clock.advance('10m')
  assert.equal(hub.calls.length, before)
  assert.ok(await hub.of(ManagedCluster.resource).get('west'))
})

test('beside another agent that reports other facts, it leaves others a version to write on', async (t) => {
  const { cluster, clock, clusters, memory, statusOf, writes } = await aMember(t)
  await cluster({ conditions: [acceptance] })
  await clock.settle(50)
  let undone = 0
  for (let turn = 0; turn < 600; turn += 1) {
    const { status } = await clusters.get('west')
    const body = { status: { version: { kubernetes: 'v1.35.0' } } }
    if (status?.version?.kubernetes === 'v1.36.2') {
      await clusters.patch('west', { type: 'merge', body }, { subresource: 'status' })
      undone += 1
    }
    await clock.advance(100)
  }
  assert.ok(undone < 20, `${undone} times its word was another's, within a minute`)
  assert.ok(writes().length <= 2 * undone + 1)
  assert.equal((await statusOf())?.version?.kubernetes, 'v1.35.0', 'its next word is held up')
  await memory.of(nodes).create({ metadata: { name: 'n2' }, status: { capacity: { cpu: '4' } } })
  await clock.advance('1s')
  assert.deepEqual((await statusOf())?.capacity, { cpu: '8' }, 'news are not')
  await clock.advance('1m')
  assert.equal((await clusters.get('west')).status?.version?.kubernetes, 'v1.36.2', 'once it is alone, its word stands')
})
