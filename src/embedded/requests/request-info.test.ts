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

test('what is many is listed or watched, as the query says', () => {
  const verb = (query: string, path = '/api/v1/secrets') => read('GET', path, new URLSearchParams(query)).split(' ')[0]
  assert.deepEqual(
    ['', 'watch=0', 'watch=False'].map((query) => verb(query)),
    ['list', 'list', 'list'],
  )
  assert.deepEqual(
    ['watch', 'watch=', 'watch=1', 'watch=true'].map((query) => verb(query)),
    Array(4).fill('watch'),
  )
  assert.equal(verb('watch=1', '/api/v1/namespaces/x/secrets/y'), 'get')
  assert.equal(read('DELETE', '/api/v1/namespaces/x/secrets'), 'deletecollection x/ secrets')
})

test('what is behind a subresource is noticed', () => {
  const hasMore = (path: string) => {
    const info = readRequestInfo('GET', path, none)
    return info.isResource && info.hasMore
  }
  assert.ok(!hasMore('/api/v1/namespaces/x/pods/y/log'))
  assert.ok(hasMore('/api/v1/namespaces/x/pods/y/proxy/z'))
})

test('documents of discovery and other paths are no resources', () => {
  for (const path of ['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/apix/v1/a'])
    assert.equal(read('GET', path), 'no resource', path)
})
