import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { addonSecretsConfigMap } from '../../fleet/names.ts'
import { configMaps } from '../../kube/kinds.ts'
import type { RecordedSecret } from './secret-record.ts'
import { isOfAnother, isSameEntry, secretRecord } from './secret-record.ts'

const entry = (name: string, other: Partial<RecordedSecret> = {}): RecordedSecret => ({
  ...{ hub: 'https://hub', cluster: 'west', addon: 'chart', namespace: 'install', name },
  ...{ type: 'kubeClient', signer: 's', driver: 'csr' },
  ...other,
})

function scene() {
  const kube = new MemoryKube(new FakeClock())
  const maps = kube.of(configMaps, 'agent')
  return { kube, maps, open: () => secretRecord(kube, 'agent', new AbortController().signal) }
}

test('what is put is there for the next process, and what is removed is not', async () => {
  const { open } = scene()
  const record = await open()
  await Promise.all([record.put(entry('a')), record.put(entry('b')), record.put(entry('b', { driver: 'token' }))])
  await record.remove('install/a')
  assert.deepEqual((await open()).list(), [entry('b', { driver: 'token' })])
  assert.equal((await open()).get('install/b')?.driver, 'token')
})

test('a write that fails is not believed', async () => {
  const { kube, open } = scene()
  const record = await open()
  kube.failNext(1, kubeFailure(500, 'InternalError'), 'create')
  await assert.rejects(record.put(entry('a')))
  assert.deepEqual(record.list(), [])
  await record.put(entry('b'))
  assert.deepEqual((await open()).list(), [entry('b')])
})

test('a record that somebody else wrote or removed costs one try, and nothing is forgotten', async () => {
  const { maps, open } = scene()
  const record = await open()
  await record.put(entry('a'))
  await maps.delete(addonSecretsConfigMap)
  await assert.rejects(record.put(entry('b')))
  await record.put(entry('b'))
  const other = await open()
  await other.put(entry('c'))
  await assert.rejects(record.put(entry('d')))
  await record.put(entry('d'))
  assert.deepEqual(
    (await open())
      .list()
      .map(({ name }) => name)
      .sort(),
    ['a', 'b', 'c', 'd'],
  )
})

test('damaged entries are left out', async () => {
  const { maps, open } = scene()
  for (const text of ['', '{', '{"a":1}', '[1, null, {"hub":"x"}]']) {
    await maps.delete(addonSecretsConfigMap)
    await maps.create({ metadata: { name: addonSecretsConfigMap }, data: { secrets: text } })
    assert.deepEqual((await open()).list(), [])
  }
})

test('another hub or driver may go on with a Secret; another add-on, type or signer may not', () => {
  for (const other of [{ hub: 'https://other' }, { driver: 'token' }, { cluster: 'east' }]) {
    assert.equal(isSameEntry(entry('a'), entry('a', other)), false)
    assert.equal(isOfAnother(entry('a'), entry('a', other)), false)
  }
  for (const other of [{ addon: 'b' }, { type: 'customSigner' as const }, { signer: 't' }])
    assert.equal(isOfAnother(entry('a'), entry('a', other)), true)
})
