import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { addonSecretsConfigMap } from '../../fleet/names.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import { removeAddonSecrets } from './remove-secrets.ts'

const { signal } = new AbortController()

async function scene() {
  const kube = new MemoryKube(new FakeClock())
  const common = { hub: 'h', cluster: 'west', addon: 'chart', type: 'kubeClient', signer: 's', driver: 'csr' }
  const entries = ['one', 'two'].map((namespace) => ({ ...common, namespace, name: 'chart-hub-kubeconfig' }))
  const data = { secrets: JSON.stringify(entries) }
  await kube.of(configMaps, 'agent').create({ metadata: { name: addonSecretsConfigMap }, data })
  for (const { namespace, name } of entries) await kube.of(secrets, namespace).create({ metadata: { name } })
  const left: string[] = []
  return {
    kube,
    left,
    remove: () =>
      Array.fromAsync(
        removeAddonSecrets('agent', {
          kube,
          signal,
          onLeft: ({ namespace, name }) => left.push(`${namespace}/${name}`),
        }),
      ),
    record: () => kube.of(configMaps, 'agent').find(addonSecretsConfigMap),
    found: async () =>
      (await kube.of(secrets).list()).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  }
}

test('what the agent wrote down goes, then what it wrote it on', async () => {
  const { remove, record, found, left } = await scene()
  assert.deepEqual(await remove(), [{ did: 'the credentials of add-ons are removed', detail: '2 Secrets' }])
  assert.deepEqual([await found(), await record(), left], [[], undefined, []])
})

test('a Secret where there are no rights is named and left, and the others go', async () => {
  const { kube, remove, record, found, left } = await scene()
  kube.failNext(1, kubeFailure(403, 'Forbidden'), 'delete')
  const [told, ...more] = await remove()
  assert.match(JSON.stringify(told), /one\/chart-hub-kubeconfig/)
  assert.deepEqual(more, [{ did: 'the credentials of add-ons are removed', detail: '1 Secrets' }])
  assert.deepEqual([await found(), left], [['one/chart-hub-kubeconfig'], ['one/chart-hub-kubeconfig']])
  assert.equal(await record(), undefined)
})

test('any other failure keeps the record, to be tried again', async () => {
  const { kube, remove, record } = await scene()
  kube.failNext(1, kubeFailure(500, 'InternalError'), 'delete')
  await assert.rejects(remove())
  assert.ok(await record())
})
