import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reviewSpecOf } from './review-spec.ts'
import { pathQuestion, resourceQuestion, somebody } from './testing/questions.ts'

test('a question is put with what it has, and nothing that is empty', () => {
  const user = { ...somebody('jane', 'dev'), uid: '7', extra: { scopes: ['a'] } }
  assert.deepEqual(reviewSpecOf(resourceQuestion(user, 'get pods/log x', { namespace: 'blue' })), {
    resourceAttributes: {
      namespace: 'blue',
      verb: 'get',
      version: 'v1',
      resource: 'pods',
      subresource: 'log',
      name: 'x',
    },
    user: 'jane',
    uid: '7',
    groups: ['dev'],
    extra: { scopes: ['a'] },
  })
  assert.deepEqual(reviewSpecOf(pathQuestion('jane', 'get', '/metrics')), {
    nonResourceAttributes: { path: '/metrics', verb: 'get' },
    user: 'jane',
  })
})

test('selectors are told requirement by requirement, as far as they can be read', () => {
  const ask = (labelSelector: string, fieldSelector: string) =>
    reviewSpecOf(resourceQuestion('jane', 'list pods', { labelSelector, fieldSelector })).resourceAttributes
  const { labelSelector, fieldSelector } = ask('c in (e,d),!f,g,h!=i,j>5,a=b', 'metadata.name=x,spec.nodeName!=y') ?? {}
  assert.deepEqual(labelSelector?.requirements, [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'c', operator: 'In', values: ['d', 'e'] },
    { key: 'f', operator: 'DoesNotExist' },
    { key: 'g', operator: 'Exists' },
    { key: 'h', operator: 'NotIn', values: ['i'] },
  ])
  assert.deepEqual(fieldSelector?.requirements, [
    { key: 'metadata.name', operator: 'In', values: ['x'] },
    { key: 'spec.nodeName', operator: 'NotIn', values: ['y'] },
  ])
  const unread = ask('a===(b', 'what')
  assert.deepEqual([unread?.labelSelector, unread?.fieldSelector], [undefined, undefined])
})

test('F4h: a selector that would keep a webhook beyond its deadline is left out, so that it is asked about all objects', () => {
  const long = 'a,'.repeat(10_000)
  const ask = (labelSelector: string, fieldSelector: string) =>
    reviewSpecOf(resourceQuestion('jane', 'list pods', { labelSelector, fieldSelector })).resourceAttributes
  const asked = ask(`${long}a`, `metadata.name=${long}`)
  assert.deepEqual([asked?.labelSelector, asked?.fieldSelector, asked?.resource], [undefined, undefined, 'pods'])
  assert.equal(ask('a,'.repeat(1_000).concat('a'), '')?.labelSelector?.requirements?.length, 1_001)
})
