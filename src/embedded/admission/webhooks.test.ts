import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aWrite, kinds, MemoryStore } from './testing/scene.ts'
import { isAboutWebhooks, WebhookIndex } from './webhooks.ts'

const storage = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
const configuration = (name: string, ...webhooks: string[]) => ({
  metadata: { name },
  webhooks: webhooks.map((webhook) => ({ name: webhook, clientConfig: {} })),
})

test('webhooks come in the order of their configurations, then their own', () => {
  const store = new MemoryStore().put(storage, configuration('b', 'b2', 'b1')).put(storage, configuration('a', 'a1'))
  using index = new WebhookIndex(store.asStore())
  assert.deepEqual(
    index.webhooks('mutating').map(({ configuration, name }) => [configuration, name]),
    [
      ['a', 'a1'],
      ['b', 'b2'],
      ['b', 'b1'],
    ],
  )
  assert.deepEqual(index.webhooks('validating'), [])
})

test('they are read again after a change of a configuration, and of nothing else', () => {
  const store = new MemoryStore()
  const index = new WebhookIndex(store.asStore())
  assert.deepEqual(index.webhooks('mutating'), [])
  const { generation } = index
  store.put('configmaps', { metadata: { name: 'x', namespace: 'home' } })
  assert.deepEqual(index.webhooks('mutating'), [])
  assert.deepEqual([store.lists, index.generation === generation], [2, true])
  store.put(storage, configuration('a', 'a1'))
  assert.deepEqual([index.webhooks('mutating').length, index.generation === generation], [1, false])
  index[Symbol.dispose]()
  assert.equal(store.listeners, 0)
})

test('what is left out has its default', () => {
  const store = new MemoryStore().put(storage, configuration('a', 'a1'))
  using index = new WebhookIndex(store.asStore())
  const [webhook] = index.webhooks('mutating')
  assert.deepEqual([webhook?.timeoutMs, webhook?.takesEquivalent, webhook?.ignoresFailure], [10_000, true, false])
})

test('no webhook is asked about webhooks', () => {
  assert.equal(isAboutWebhooks(aWrite(kinds.webhooks)), true)
  assert.equal(isAboutWebhooks(aWrite(kinds.configMaps)), false)
})
