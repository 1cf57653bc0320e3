import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../fleet/admission.ts'
import { annotations, labels } from '../../fleet/names.ts'
import { defaultCluster } from './default-cluster.ts'

const now = new Date('2026-03-01T12:00:00Z')

const decide = (object: object, oldObject?: object) =>
  defaultCluster(
    {
      uid: 'u',
      kind: { group: '', version: '', kind: '' },
      resource: { group: '', version: '', resource: '' },
      operation: oldObject ? 'UPDATE' : 'CREATE',
      userInfo: { username: 'jane' },
      object,
      oldObject: oldObject ?? null,
    } as AdmissionRequest,
    now,
  )

const patchOf = (object: object, oldObject?: object) => {
  const verdict = decide(object, oldObject)
  return verdict.allowed ? Object.fromEntries((verdict.patch ?? []).map(({ path, value }) => [path, value])) : verdict
}

test('a bare cluster gets its set, its creator and its lease duration', () => {
  assert.deepEqual(patchOf({ metadata: { name: 'west' } }), {
    '/metadata/labels': { [labels.clusterSet]: 'default' },
    '/metadata/annotations': { [annotations.createdBy]: 'jane' },
    '/spec': { leaseDurationSeconds: 60 },
  })
})

test('a cluster that has all of it is left alone', () => {
  const cluster = {
    metadata: { name: 'west', labels: { [labels.clusterSet]: 'red' }, annotations: { [annotations.createdBy]: 'joe' } },
    spec: { leaseDurationSeconds: 15, taints: [{ key: 'a', effect: 'NoSelect', timeAdded: '2026-02-01T00:00:00Z' }] },
  }
  assert.deepEqual(patchOf(cluster, cluster), {})
  const bare = { metadata: { name: 'west', labels: { [labels.clusterSet]: 'red' } }, spec: { leaseDurationSeconds: 1 } }
  assert.deepEqual(patchOf(bare, bare), {})
})

test('a bad name is refused before the API server finds words of its own', () => {
  const verdict = decide({ metadata: { name: 'A.b' } })
  assert.deepEqual([verdict.allowed, !verdict.allowed && verdict.code], [false, 400])
  assert.equal(decide({ metadata: { generateName: 'a-' } }).allowed, true)
})

test('what has the wrong type is left for the schema to refuse', () => {
  const rest = (object: object) =>
    Object.keys(patchOf({ metadata: { name: 'west' }, ...object })).filter((path) => path.startsWith('/spec'))
  assert.deepEqual(rest({ spec: 'text' }), [])
  assert.deepEqual(rest({ spec: { leaseDurationSeconds: 'long', taints: 'many' } }), [])
  assert.deepEqual(rest({ spec: { leaseDurationSeconds: 5, taints: [7] } }), [])
  assert.deepEqual(rest({ spec: null }), ['/spec'])
  assert.deepEqual(rest({ spec: { leaseDurationSeconds: null } }), ['/spec/leaseDurationSeconds'])
})

test('a write of an outdated version is left to the conflict that it is', () => {
  const taints = [{ key: 'a', effect: 'NoSelect', timeAdded: '2026-02-01T00:00:00Z' }]
  const sent = (resourceVersion?: string) => ({ metadata: { name: 'west', resourceVersion }, spec: { taints } })
  const old = { metadata: { name: 'west', resourceVersion: '8' }, spec: { taints: [] } }
  assert.deepEqual(decide(sent('7'), old), { allowed: true })
  for (const version of ['8', '', undefined]) assert.equal(decide(sent(version), old).allowed, false)
})
