import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRequestInfo } from './request-info.ts'

const none = new URLSearchParams()
const read = (method: string, path: string, query = none) => {
  const info = readRequestInfo(method, path, query)
  if (!info.isResource) return 'no resource'
  const { verb, namespace, isWithin, plural, name, subresource } = info
  return [verb, `${namespace}${isWithin ? '/' : ''}`, plural, name, subresource].join(' ').trimEnd()
}

for (const [method, path, expected] of [
  ['GET', '/api/v1/namespaces', 'list  namespaces'],
  ['GET', '/api/v1/namespaces/x', 'get x namespaces x'],
  ['PUT', '/api/v1/namespaces/x/finalize', 'update x namespaces x finalize'],
  ['GET', '/api/v1/namespaces/x/namespaces', 'list x/ namespaces'],
  ['DELETE', '/api/v1/namespaces/x/namespaces/y', 'delete x/ namespaces y'],
  ['GET', '/api/v1/namespaces/x/secrets/y', 'get x/ secrets y'],
  ['DELETE', '/api/v1/watch/namespaces/x/secrets/y', 'watch x/ secrets y'],
  ['GET', '/apis/a.b/v1/namespaces/x/things/y/status', 'get x/ things y status'],
  ['GET', '/api/v1//secrets', 'no resource'],
] as const)
  test(`${method} ${path} is about: ${expected}`, () => {
    assert.equal(read(method, path), expected)
  })

test('a method that is none has no verb, whatever objects of JavaScript inherit', () => {
  assert.equal(read('constructor', '/api/v1/secrets'), '  secrets')
})
