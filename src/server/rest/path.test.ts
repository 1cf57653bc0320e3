import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RestRoute } from '../../fleet/rest.ts'
import { checkRawPath, paramsOf, routerPath, verbsAt } from './path.ts'

for (const fine of ['/', '/docs', '/api/hyperfleet/v1/clusters/a.b_c-d/pull-secrets', '/a/caf%C3%A9'])
  test(`${fine} means one thing only`, () => {
    assert.equal(checkRawPath(fine), undefined)
  })

for (const wrong of [
  '/a/../b',
  '/a/./b',
  '/..',
  '/a/%2e%2e/b',
  '/a%2Fb',
  '/a%2fb',
  '/a%5cb',
  '/a\\b',
  '/a%00',
  '/a%0ab',
  '/a//b',
  '/a%252fb',
  '/%',
  '/%zz',
  '/%ff',
])
  test(`${wrong} could mean another path`, () => {
    assert.equal(checkRawPath(wrong)?.code, 'REST_BAD_PATH')
  })

test('parameters are found and handed to the router', () => {
  const path = '/clusters/{cluster_id}/rotations/{rotation_id}'
  assert.deepEqual(paramsOf(path), ['cluster_id', 'rotation_id'])
  assert.equal(routerPath(path), '/clusters/:cluster_id/rotations/:rotation_id')
})

test('the verbs of a path are told, and none for what is not served', () => {
  const route = (method: RestRoute['method'], path: string) => ({ method, path }) as RestRoute
  const verbs = verbsAt([route('GET', '/a/{id}'), route('POST', '/a/{id}'), route('GET', '/a/{id}/b')])
  assert.deepEqual([verbs('/a/1'), verbs('/a/1/b'), verbs('/a'), verbs('/a/1/')], [['GET', 'POST'], ['GET'], [], []])
})
