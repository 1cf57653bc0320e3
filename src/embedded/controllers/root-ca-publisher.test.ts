import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps, namespaces } from '../../kube/kinds.ts'
import { rootCaPublisher } from './root-ca-publisher.ts'
import { controllerScene } from './testing/scene.ts'

test('nothing is written where all is well, or where the namespace is on its way out', async (t) => {
  const { clock, kube } = await controllerScene(t, rootCaPublisher)
  await kube.of(namespaces).create({ metadata: { name: 'active' }, status: { phase: 'Active' } })
  await kube.of(namespaces).create({ metadata: { name: 'ending' }, status: { phase: 'Terminating' } })
  await clock.settle()
  assert.deepEqual(
    (await kube.of(configMaps).list()).items.map(({ metadata }) => metadata.namespace),
    ['active'],
  )
  const writes = kube.count('create', 'update')
  await kube
    .of(configMaps, 'active')
    .patch('kube-root-ca.crt', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
  await clock.advance('1h')
  assert.equal(kube.count('create', 'update'), writes)
})
