import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intern, isServed } from './openapi.ts'

test('paths of what is served are kept, those of all else are not', () => {
  for (const path of [
    '/api/',
    '/version/',
    '/apis/apps/v1/',
    '/api/v1/namespaces',
    '/api/v1/namespaces/{name}/finalize',
    '/api/v1/namespaces/{namespace}/pods/{name}/status',
    '/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}',
  ])
    assert.ok(isServed(path), path)
  for (const path of [
    '/api/v1/namespaces/{namespace}/pods/{name}/log',
    '/api/v1/namespaces/{namespace}/bindings',
    '/apis/apps/v1/watch/statefulsets',
  ])
    assert.ok(!isServed(path), path)
})

test('what stands in several places is written once', () => {
  const long = { description: 'forty characters are enough, and here they are' }
  const { interned, shared } = intern({ a: { x: long }, b: [long, { c: 1 }, { c: 1 }] })
  const [[name, value] = []] = Object.entries(shared)
  assert.deepEqual(value, long)
  assert.deepEqual(interned, { a: { x: `=${name}` }, b: [`=${name}`, { c: 1 }, { c: 1 }] })
})

test('text that would stand for something else is an error', () => {
  assert.throws(() => intern({ a: '=b' }), /would stand for something else/)
})
