import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../../core/failure.ts'
import { isConflict } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import { clusterOnRecord } from '../marks.ts'
import { recordAnnotation, recordOn, recordText, writeRecord } from './hub-record.ts'
import { aManagedCluster } from './testing/samples.ts'

const read = (text: string) => recordOn({ metadata: { annotations: { [recordAnnotation]: text } } })

test('what is written is read again, each mapping once', () => {
  assert.equal(
    recordText({ role: 'ocm-hub-1', mappings: ['aws-auth', 'access-entry', 'aws-auth'] }),
    'ocm-hub-1:access-entry,aws-auth',
  )
  assert.deepEqual(read('ocm-hub-1:access-entry,aws-auth'), {
    role: 'ocm-hub-1',
    mappings: ['access-entry', 'aws-auth'],
  })
  const begun = { role: 'ocm-hub-1', mappings: ['aws-auth'], isBegun: true } as const
  assert.equal(recordText(begun), 'ocm-hub-1:aws-auth:begun')
  assert.deepEqual(read('ocm-hub-1:aws-auth:begun'), begun)
  assert.equal(recordOn({}), undefined)
})

test('what somebody else wrote there never names another role than one of a cluster', () => {
  for (const text of [
    '',
    'admin:aws-auth',
    'ocm-hub-1:aws-auth:x',
    'ocm-hub-1:aws-auth:begun:x',
    'ocm-hub-/../admin:aws-auth',
    'OCM-HUB-1:aws-auth',
  ])
    assert.equal(read(text), undefined, text)
  assert.deepEqual(read('ocm-hub-1:nothing'), { role: 'ocm-hub-1', mappings: [] })
})

async function written() {
  const kube = new MemoryKube(new FakeClock())
  await kube.of(namespaces).create({ metadata: { name: 'west' } })
  const cluster = await kube.of(ManagedCluster.resource).create(aManagedCluster('west'))
  const held = await writeRecord(kube, cluster, { role: 'ocm-hub-1', mappings: ['aws-auth'] })
  assert.ok(held)
  return { kube, held, namespace: () => kube.of(namespaces).get('west') }
}

test('the namespace of a cluster has its record, too, and tells all that it takes to act on it', async () => {
  const { kube, held, namespace } = await written()
  const copied = clusterOnRecord(await namespace())
  assert.ok(copied)
  assert.deepEqual([copied.metadata.uid, recordOn(copied)], [held.metadata.uid, recordOn(held)])
  await kube.of(ManagedCluster.resource).delete('west')
  assert.equal(await writeRecord(kube, copied, undefined), undefined)
  assert.equal((await namespace()).metadata.annotations?.[recordAnnotation], undefined)
})

test('what is on record for an earlier cluster of the name is neither overwritten nor removed', async () => {
  const { kube, namespace } = await written()
  const before = (await namespace()).metadata.annotations
  const collection = kube.of(ManagedCluster.resource)
  await collection.delete('west')
  const later = await collection.create(aManagedCluster('west'))
  await assert.rejects(writeRecord(kube, later, { role: 'ocm-hub-1', mappings: [] }), (error) =>
    isFailure(error, 'AWS_ROLE_OF_EARLIER'),
  )
  assert.equal(recordOn(await collection.get('west')), undefined)
  await writeRecord(kube, later, undefined)
  assert.deepEqual((await namespace()).metadata.annotations, before)
})

test('what somebody writes to the namespace meanwhile is not overwritten', async (t) => {
  const { kube, held, namespace } = await written()
  const collection = kube.of(namespaces)
  const body = { metadata: { annotations: { [recordAnnotation]: 'ocm-hub-2:aws-auth another' } } }
  const found = await collection.get('west')
  await collection.patch('west', { type: 'merge', body })
  const of = kube.of.bind(kube)
  t.mock.method(kube, 'of', (...[resource, inside]: Parameters<typeof kube.of>) => {
    const given = of(resource, inside)
    if (resource.plural === namespaces.plural) t.mock.method(given, 'find', async () => found)
    return given
  })
  await assert.rejects(writeRecord(kube, held, undefined), isConflict)
  t.mock.restoreAll()
  assert.deepEqual((await namespace()).metadata.annotations, body.metadata.annotations)
})
