import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedHeaders } from './headers.ts'

test('names become lower case, values stay', () => {
  assert.deepEqual(checkedHeaders({ 'Impersonate-User': 'Jo Ann' }), { 'impersonate-user': 'Jo Ann' })
})

test('what would break out of a header is refused by name, its value not shown', () => {
  for (const headers of [{ 'a b': 'x' }, { ':path': 'x' }, { a: 'canary\r\nb: c' }, { a: 'canary€' }, { '': 'x' }])
    assert.throws(
      () => checkedHeaders(headers),
      (error: Error & { code?: string }) => error.code === 'KUBE_BAD_CONNECTION' && !error.message.includes('canary'),
    )
})
