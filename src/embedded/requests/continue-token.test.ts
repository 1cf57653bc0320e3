import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiFailure, badRequest } from '../status.ts'
import { inconsistent, readToken, writeToken } from './continue-token.ts'

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const v = 'meta.k8s.io/v1'

test('what is written is read back, and looks as Kubernetes writes it', () => {
  const token = writeToken({ after: 'home/b', revision: 26225 })
  assert.equal(Buffer.from(token, 'base64url').toString(), '{"v":"meta.k8s.io/v1","rv":26225,"start":"home/b\\u0000"}')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (after, revision) => {
      assert.deepEqual(readToken(writeToken({ after, revision })), { after, revision })
    }),
  )
})

test('any version below none stands for now', () => {
  assert.equal(readToken(encoded({ v, rv: -1, start: 'a/b\0' })).revision, inconsistent)
  assert.equal(readToken(encoded({ v, rv: -7, start: 'a/b\0' })).revision, inconsistent)
})

test('what is no token is refused, with the reason of the real server', () => {
  const table: [token: string, why: string][] = [
    ['x', 'illegal base64 data at input byte 0'],
    ['a b', 'illegal base64 data at input byte 1'],
    ['YQ==', 'illegal base64 data at input byte 2'],
    ['a+b/', 'illegal base64 data at input byte 1'],
    ['YQ', "invalid character 'a' looking for beginning of value"],
    [encoded('{'), 'unexpected end of JSON input'],
    [encoded({}), 'server does not recognize this encoded version '],
    [encoded('null'), 'server does not recognize this encoded version '],
    [encoded({ v: 'x' }), 'server does not recognize this encoded version x'],
    [encoded({ v, rv: 0, start: 'a\0' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [encoded({ v, rv: 5 }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [encoded({ v, rv: 5, start: '' }), 'encoded start key empty (version meta.k8s.io/v1)'],
  ]
  for (const [token, why] of table)
    assert.throws(
      () => readToken(token),
      badRequest(`invalid continue token: continue key is not valid: ${why}`),
      token,
    )
})

test('whatever is sent is read, or refused with 400', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.jsonValue().map(encoded)), (token) => {
      try {
        readToken(token)
      } catch (error) {
        assert.ok(error instanceof ApiFailure && error.code === 400)
      }
    }),
  )
})
