import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWork } from './manifest-work.ts'

const aWork = (spec: ManifestWork['spec'] = {}): ManifestWork => ({
  apiVersion: 'work.open-cluster-management.io/v1',
  kind: 'ManifestWork',
  metadata: { name: 'w', namespace: 'west' },
  spec,
})
const configMap = { resource: 'configmaps', name: 'c', namespace: 'n' }

test('manifests are kept whatever they are', () => {
  const manifests = [{ apiVersion: 'x.io/v1', kind: 'Any', metadata: { name: 'a' }, deep: { list: [1, { b: null }] } }]
  assert.deepEqual(ManifestWork.check(aWork({ workload: { manifests } }), { strict: true }), [])
})

test('objects are replaced, looked at now and then, and deleted with their work unless it says otherwise', () => {
  const work = aWork({
    deleteOption: {},
    manifestConfigs: [{ resourceIdentifier: configMap, updateStrategy: { serverSideApply: {} } as never }],
  })
  const { deleteOption, manifestConfigs } = ManifestWork.applyDefaults(work).spec ?? {}
  assert.deepEqual(deleteOption, { propagationPolicy: 'Foreground' })
  assert.deepEqual(manifestConfigs, [
    {
      resourceIdentifier: configMap,
      feedbackScrapeType: 'Poll',
      updateStrategy: { type: 'Update', serverSideApply: { fieldManager: 'work-agent' } },
    },
  ])
})

test('fields that are applied belong to a work agent', () => {
  const updateStrategy = { type: 'ServerSideApply' as const, serverSideApply: { fieldManager: 'me' } }
  const problems = ManifestWork.check(aWork({ manifestConfigs: [{ resourceIdentifier: configMap, updateStrategy }] }))
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['spec.manifestConfigs[0].updateStrategy.serverSideApply.fieldManager'],
  )
})
