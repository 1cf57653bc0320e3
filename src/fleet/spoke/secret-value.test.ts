import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures as kubeFailures } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import { readSecretValue, valueIn } from './secret-value.ts'

const wanted = { namespace: 'hub', name: 'west', keys: ['value', 'kubeconfig'], field: 'spec.kubeconfigSecretRef' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const found = (data: Record<string, string>, keys = wanted.keys) => {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]))
  const { text, key } = valueIn({ data: encoded }, { ...wanted, keys })
  return [key, text.reveal()]
}

test('the first key that holds anything is taken', () => {
  assert.deepEqual(found({ value: 'a', kubeconfig: 'b' }), ['value', 'a'])
  assert.deepEqual(found({ kubeconfig: 'b' }), ['kubeconfig', 'b'])
  assert.deepEqual(found({ value: '', kubeconfig: 'b' }), ['kubeconfig', 'b'])
  assert.deepEqual(found({ value: ' \n', kubeconfig: 'ü' }), ['kubeconfig', 'ü'])
})

test('a key that was given is the only one looked at', () => {
  assert.deepEqual(found({ value: 'a', kc2: 'c' }, ['kc2']), ['kc2', 'c'])
  assert.throws(() => found({ value: 'a' }, ['kc2']), {
    code: 'SPOKE_SECRET_KEY_MISSING',
    message: 'spec.kubeconfigSecretRef: Secret hub/west has no key kc2',
  })
})

test('a Secret that is not there and one without the key are two things', () => {
  assert.throws(() => valueIn(undefined, wanted), { code: 'SPOKE_SECRET_MISSING' })
  assert.throws(() => valueIn({}, wanted), {
    code: 'SPOKE_SECRET_KEY_MISSING',
    message: /has no key value or kubeconfig$/,
  })
})

test('a hub that does not answer says nothing of the Secret', async () => {
  const down = kubeFailures.KUBE_UNREACHABLE({ server: 'https://hub', detail: 'gone' })
  const collection = { find: () => Promise.reject(down) }
  const kube = { of: () => collection } as unknown as Kube
  await assert.rejects(readSecretValue(kube, wanted), { code: 'SPOKE_SECRET_UNREADABLE', cause: down })
})

test('whoever gives up hears why they did', async () => {
  const reason = new Error('enough')
  const collection = { find: (_: string, { signal }: { signal: AbortSignal }) => Promise.reject(signal.reason) }
  const kube = { of: () => collection } as unknown as Kube
  await assert.rejects(readSecretValue(kube, wanted, AbortSignal.abort(reason)), reason)
})
