import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Secret } from '../core/secret.ts'
import { fingerprintOf, isSameMoment, readClaims } from './account-token.ts'
import { aToken } from './testing/account-tokens.ts'

const claims = {
  namespace: 'west',
  account: 'west-logs-agent',
  uid: '1-2',
  issuedAt: new Date('2026-01-01T00:00:00Z'),
  expiresAt: new Date('2026-01-01T00:10:00Z'),
}
const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url')
const jwt = (payload: unknown) => Secret.of(`e30.${encode(payload)}.signature`)
const whole = { iat: 1, exp: 2, 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'b', uid: 'c' } } }

test('the claims of a token are read', () => assert.deepEqual(readClaims(aToken(claims)), claims))

const others: Record<string, unknown> = {
  nothing: null,
  'a list': [],
  'no account': { ...whole, 'kubernetes.io': { namespace: 'a' } },
  'no namespace': { ...whole, 'kubernetes.io': { serviceaccount: { name: 'b', uid: 'c' } } },
  'an empty UID': { ...whole, 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'b', uid: '' } } },
  'a number as UID': { ...whole, 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'b', uid: 3 } } },
  'no end': { ...whole, exp: undefined },
  'an end as text': { ...whole, exp: '2' },
  'an end before its beginning': { ...whole, exp: 1 },
  'no beginning': { ...whole, iat: undefined },
}
for (const [what, payload] of Object.entries(others))
  test(`a token with ${what} is none of an account`, () => assert.equal(readClaims(jwt(payload)), undefined))

test('whatever else is in its place is no token, and never throws', () => {
  assert.ok(readClaims(jwt(whole)))
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.string(), { maxLength: 5 }).map((parts) => parts.join('.')),
  )
  fc.assert(fc.property(text, (given) => assert.equal(readClaims(Secret.of(given)), undefined)))
  const token = jwt(whole).reveal()
  for (const given of [`${token}.more`, token.slice(0, token.lastIndexOf('.') + 1), `.${token}`])
    assert.equal(readClaims(Secret.of(given)), undefined)
})

test('a fingerprint tells tokens apart and does not give them away', () => {
  const [a, b] = [aToken(claims), aToken(claims)]
  assert.notEqual(fingerprintOf(a), fingerprintOf(b))
  assert.ok(!fingerprintOf(a).includes(a.reveal()))
})

test('two readings of a clock may be a second apart, and no more', () => {
  const at = (ms: number) => new Date(ms)
  assert.ok(isSameMoment(at(1_000), at(2_000)))
  assert.ok(!isSameMoment(at(1_000), at(2_001)))
  assert.ok(!isSameMoment(at(1_000), new Date('')))
})
