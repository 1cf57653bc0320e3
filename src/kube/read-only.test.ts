import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { MemoryKube } from '../../test/support/memory-kube.ts'
import { configMaps } from './kinds.ts'
import { readOnly } from './read-only.ts'

test('what reads goes through, what writes does not', async () => {
  const kube = new MemoryKube(new FakeClock())
  const object = { metadata: { name: 'a', namespace: 'here' }, data: { key: 'value' } }
  await kube.of(configMaps, 'here').create(object)
  const maps = readOnly(kube).of(configMaps, 'here')
  assert.deepEqual((await maps.get('a')).data, object.data)
  assert.equal((await maps.list()).items.length, 1)
  assert.equal((await maps.metadata.list()).items.length, 1)
  const refusal = { code: 'KUBE_READ_ONLY' }
  await assert.rejects(maps.create({ metadata: { name: 'b' } }), refusal)
  await assert.rejects(maps.update(object), refusal)
  await assert.rejects(maps.patch('a', { type: 'merge', body: { data: null } }), refusal)
  await assert.rejects(maps.apply(object, { fieldManager: 'me' }), refusal)
  await assert.rejects(maps.delete('a'), refusal)
  await assert.rejects(maps.deleteCollection(), refusal)
  await assert.rejects(maps.createSubresource('a', 'token', {}), refusal)
  await assert.rejects(readOnly(kube).request({ method: 'POST', path: '/a' }), refusal)
  assert.deepEqual((await kube.of(configMaps, 'here').list()).items.length, 1)
})
