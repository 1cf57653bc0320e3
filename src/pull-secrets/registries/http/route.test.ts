import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRouted, route } from './route.ts'

const loose = /^[\s\S]*$/
const robot = route('DELETE', '/organization/{org}/robots/{robot}', { org: /^[a-z]+$/, robot: loose })

test('segments are encoded', () => {
  const call = robot('quay', { org: 'acme', robot: 'acme+a/b' })
  assert.deepEqual(call, { method: 'DELETE', path: '/organization/acme/robots/acme%2Ba%2Fb' })
  assert.ok(isRouted(call) && !isRouted({ ...call }))
})

for (const segment of ['', '.', '..', '...'])
  test(`'${segment}' is never a segment, whatever its rule says`, () => {
    assert.throws(() => robot('quay', { org: 'acme', robot: segment }), { code: 'REGISTRY_REFUSED' })
  })

test('a rule has to match the whole segment', () => {
  const half = route('GET', '/{a}', { a: /[a-z]+/ })
  assert.throws(() => half('quay', { a: 'a/../b' }), { code: 'REGISTRY_REFUSED' })
  assert.throws(() => robot('quay', { org: 'acme\n', robot: 'a' }), { code: 'REGISTRY_REFUSED' })
})

test('whatever the segment, the path stays below its template', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (segment) => {
      let path: string
      try {
        ;({ path } = robot('quay', { org: 'acme', robot: segment }))
      } catch {
        return
      }
      const resolved = new URL(path, 'https://quay.io').pathname
      assert.match(resolved, /^\/organization\/acme\/robots\/[^/]+$/)
    }),
  )
})
