import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeScene } from '../serving/testing/routes.ts'

const deployments = '/apis/apps/v1/namespaces/home/deployments'
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}

test('a scale shows and sets the replicas, and nothing else', async (t) => {
  const { json } = await routeScene(t)
  const { object: made } = await json('POST', deployments, { body: deployment })
  const { object: scale } = await json('GET', `${deployments}/web/scale`)
  assert.deepEqual([scale.kind, scale.spec.replicas, scale.metadata.uid], ['Scale', 1, made.metadata.uid])
  const put = await json('PUT', `${deployments}/web/scale`, { body: { ...scale, spec: { replicas: 3 } } })
  assert.deepEqual([put.code, put.object.kind, put.object.spec.replicas], [200, 'Scale', 3])
  const { object: after } = await json('GET', `${deployments}/web`)
  assert.deepEqual([after.spec.replicas, after.metadata.generation], [3, 2])
  assert.deepEqual(after.spec.template, made.spec.template)
})

test('whoever names a version is told when it is old, and who names none is not', async (t) => {
  const { json } = await routeScene(t)
  await json('POST', deployments, { body: deployment })
  const at = `${deployments}/web/scale`
  const { object: old } = await json('GET', at)
  const scaled = (replicas: number, metadata: object) =>
    json('PUT', at, { body: { ...old, metadata, spec: { replicas } } })
  await scaled(2, old.metadata)
  const stale = await scaled(4, old.metadata)
  assert.deepEqual([stale.code, stale.object.reason], [409, 'Conflict'])
  assert.equal((await scaled(4, { name: 'web' })).object.spec.replicas, 4)
  const results = await Promise.all([5, 6, 7].map((replicas) => scaled(replicas, { name: 'web' })))
  assert.deepEqual(
    results.map(({ code }) => code),
    [200, 200, 200],
  )
})

test('a patch of a scale is one of what it shows', async (t) => {
  const { json } = await routeScene(t)
  await json('POST', deployments, { body: deployment })
  const patch = (body: unknown, type: string) =>
    json('PATCH', `${deployments}/web/scale`, { body, headers: { 'content-type': `application/${type}` } })
  assert.equal((await patch({ spec: { replicas: 4 } }, 'merge-patch+json')).object.spec.replicas, 4)
  const replaced = await patch([{ op: 'replace', path: '/spec/replicas', value: 5 }], 'json-patch+json')
  assert.equal(replaced.object.spec.replicas, 5)
  const negative = await patch({ spec: { replicas: -1 } }, 'merge-patch+json')
  assert.deepEqual([negative.code, negative.object.details.kind], [422, 'Scale'])
})

test('a scale is applied by whoever owns it, or by force', async (t) => {
  const { json } = await routeScene(t)
  await json('POST', `${deployments}?fieldManager=maker`, { body: deployment })
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 4 } }
  const apply = (query: string) => json('PATCH', `${deployments}/web/scale?${query}`, { body, headers })
  assert.equal((await apply('')).code, 422)
  const contested = await apply('fieldManager=one')
  assert.deepEqual([contested.code, contested.object.reason], [409, 'Conflict'])
  const forced = await apply('fieldManager=one&force=true')
  assert.deepEqual([forced.object.spec.replicas, forced.object.metadata.managedFields], [4, undefined])
  const { object } = await json('GET', `${deployments}/web`)
  const [{ manager, operation, subresource, apiVersion, fieldsV1 }] = object.metadata.managedFields
  assert.deepEqual([manager, operation, subresource, apiVersion], ['one', 'Apply', 'scale', 'apps/v1'])
  assert.deepEqual(fieldsV1, { 'f:spec': { 'f:replicas': {} } })
})

test('a dry run shows the scale that would be', async (t) => {
  const { json, store } = await routeScene(t)
  await json('POST', deployments, { body: deployment })
  const { revision } = store
  const headers = { 'content-type': 'application/merge-patch+json' }
  const { object } = await json('PATCH', `${deployments}/web/scale?dryRun=All`, {
    body: { spec: { replicas: 9 } },
    headers,
  })
  assert.deepEqual([object.spec.replicas, store.revision], [9, revision])
})
