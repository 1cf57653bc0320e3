import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiryOf, isFresh } from './lifetime.ts'

const now = new Date('2026-01-01T00:00:00Z')
const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const later = (ms: number) => new Date(now.getTime() + ms)
/** For how long one is used that lives so many seconds. */
function usedMs(lifeSeconds: number): number {
  const token = { issuedAt: now, expiresAt: later(lifeSeconds * 1000) }
  const end = [2_000, 5_000, 10_000, 30_000].find((ms) => !isFresh(token, later(ms))) ?? assert.fail('for ever')
  assert.ok(isFresh(token, later(end - 1)))
  return end
}
const seconds = (access_token: string, expires_in?: number) =>
  (expiryOf({ access_token, expires_in }, now).getTime() - now.getTime()) / 1000

test('a token ends when its answer says, whatever is in it', () => {
  assert.equal(seconds(jwt({ exp: 1 }), 60), 60)
  assert.equal(seconds('opaque', 0), 0)
})

test('where the answer does not say, the token itself may', () => {
  assert.equal(seconds(jwt({ exp: now.getTime() / 1000 + 90 })), 90)
})

test('of one that does not say either no end is known', () => {
  for (const token of ['opaque', 'a.b', 'a.b.c', jwt({}), jwt({ exp: 'soon' }), jwt(null)])
    assert.equal(seconds(token), 0)
})

test('an absurd time is a long one, and not an invalid date', () => {
  assert.ok(seconds('opaque', 1e300) > 86_400)
  assert.ok(!Number.isNaN(seconds(jwt({ exp: 1e300 }))))
})

test('a token is fresh until 30 seconds before its end', () => {
  assert.equal(usedMs(60), 30_000)
  assert.equal(usedMs(40), 10_000)
})

test('one that lives hardly longer, or does not say, serves the calls of one look all the same', () => {
  assert.equal(usedMs(31), 5_000)
  assert.equal(usedMs(30), 5_000)
  assert.equal(usedMs(4), 2_000)
  assert.equal(usedMs(0), 5_000)
  // By the clock of an issuer that is behind.
  assert.equal(usedMs(-20), 5_000)
})
