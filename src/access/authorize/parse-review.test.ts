import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { issuerExtra } from '../names.ts'
import { parseReview } from './parse-review.ts'

const resourceAttributes = {
  verb: 'get',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'x',
}
const review = (spec: unknown, more: object = {}): string =>
  JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec, ...more })

test('a review is read in both versions', () => {
  const extra = { [issuerExtra]: ['https://a.example.com', 'more'], other: ['x'] }
  const parsed = parseReview(review({ user: 'dev', uid: '1', groups: ['a', 'b'], extra, resourceAttributes }))
  assert.deepEqual(parsed, {
    apiVersion: 'authorization.k8s.io/v1',
    asked: {
      ...{ user: 'dev', groups: ['a', 'b'], issuer: 'https://a.example.com', verb: 'get' },
      resource: {
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        subresource: '',
        namespace: 'shop',
        name: 'x',
      },
    },
  })
  const old = { apiVersion: 'authorization.k8s.io/v1beta1' }
  const path = { nonResourceAttributes: { verb: 'get', path: '/healthz' } }
  assert.deepEqual(parseReview(review({ user: 'dev', group: ['a'], ...path }, old)), {
    apiVersion: old.apiVersion,
    asked: { user: 'dev', groups: ['a'], verb: 'get', path: '/healthz' },
  })
  assert.deepEqual(parseReview(review({ groups: null, extra: null, resourceAttributes: null, ...path }))?.asked, {
    ...{ user: '', groups: [], verb: 'get', path: '/healthz' },
  })
})

test('what is no review is none', () => {
  const nested = `${'['.repeat(300_000)}${']'.repeat(300_000)}`
  const hostile = [
    ...['', ' ', 'null', '1', '"x"', '[]', '{}', '{', 'undefined', '\u0000', '{"a":1}{"b":2}', nested],
    review(undefined),
    review(null),
    review([]),
    review('x'),
    review({ user: 'dev' }),
    review({ user: 'dev', resourceAttributes, nonResourceAttributes: { verb: 'get', path: '/' } }),
    review({ user: 'dev', resourceAttributes: [] }),
    review({ user: 'dev', resourceAttributes: 'x' }),
    review({ user: 1, resourceAttributes }),
    review({ user: ['dev'], resourceAttributes }),
    review({ user: { toString: 'dev' }, resourceAttributes }),
    review({ user: 'dev', groups: 'a', resourceAttributes }),
    review({ user: 'dev', groups: [1], resourceAttributes }),
    review({ user: 'dev', groups: { 0: 'a' }, resourceAttributes }),
    review({ user: 'dev', extra: [], resourceAttributes }),
    review({ user: 'dev', extra: { [issuerExtra]: 'x' }, resourceAttributes }),
    review({ user: 'dev', extra: { [issuerExtra]: [1] }, resourceAttributes }),
    review({ user: 'dev', resourceAttributes: { ...resourceAttributes, name: 1 } }),
    review({ user: 'dev', resourceAttributes: { ...resourceAttributes, verb: [] } }),
    review({ user: 'dev', nonResourceAttributes: { verb: 'get', path: {} } }),
    review({ user: 'dev', resourceAttributes }, { kind: 'SelfSubjectAccessReview' }),
    review({ user: 'dev', resourceAttributes }, { apiVersion: 'authorization.k8s.io/v2' }),
    review({ user: 'dev', resourceAttributes }, { apiVersion: '__proto__' }),
    review({ user: 'dev', resourceAttributes }, { apiVersion: ['authorization.k8s.io/v1'] }),
  ]
  for (const text of hostile) assert.equal(parseReview(text), undefined, text.slice(0, 200))
})

test('keys that mean something to JavaScript mean nothing here', () => {
  const polluted = `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","__proto__":{"spec":{"user":"dev"}},
    "spec":{"__proto__":{"user":"root","groups":["system:masters"]},"constructor":{"prototype":{"user":"root"}},
    "resourceAttributes":{"verb":"get","__proto__":{"resource":"secrets"}}}}`
  const { asked } = parseReview(polluted) ?? {}
  assert.deepEqual([asked?.user, asked?.groups, asked?.resource?.resource], ['', [], ''])
  assert.equal(({} as { user?: string }).user, undefined)
})

test('a key that is there twice counts as it is there last', () => {
  const twice = review({ user: 'a', resourceAttributes }).replace('"user":"a"', '"user":"a","user":"b"')
  assert.equal(parseReview(twice)?.asked.user, 'b')
})

const anything = fc.anything({ withNullPrototype: false, maxDepth: 4 })
const fields = [
  'apiVersion',
  'kind',
  'spec',
  'user',
  'groups',
  'group',
  'extra',
  'resourceAttributes',
  'verb',
  'path',
  'name',
]

test('whatever is sent, all that is read of it is text', () => {
  const spoiled = fc.tuple(fc.constantFrom(...fields), anything).map(([field, value]) => {
    const spoil = (object: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(object).map(([name, inner]) => {
          if (name === field) return [name, value]
          const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          return [name, isObject ? spoil(inner as Record<string, unknown>) : inner]
        }),
      )
    const spec = { user: 'dev', groups: ['a'], extra: { [issuerExtra]: ['x'] }, resourceAttributes }
    return JSON.stringify(spoil(JSON.parse(review(spec))))
  })
  const text = fc.oneof(
    spoiled,
    fc.json(),
    fc.string(),
    spoiled.chain((whole) => fc.nat({ max: whole.length }).map((end) => whole.slice(0, end))),
  )
  fc.assert(
    fc.property(text, (sent) => {
      const asked = parseReview(sent)?.asked
      if (!asked) return
      const { user, groups, issuer = '', verb, resource, path } = asked
      for (const value of [user, issuer, verb, ...groups, ...Object.values(resource ?? { path })])
        assert.equal(typeof value, 'string')
      assert.equal(resource === undefined, path !== undefined)
    }),
    { numRuns: 5_000 },
  )
})
