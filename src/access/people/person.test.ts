import assert from 'node:assert/strict'
import { test } from 'node:test'
import { personOf } from './person.ts'

const prefixes = ['oidc:', 'corp:']
const read = (claims: Record<string, unknown>) =>
  personOf({ claims: { iss: 'https://i', ...claims }, provider: 'p' }, prefixes)

test('a person is what the claims say', () => {
  assert.deepEqual(read({ email: 'a@b', preferred_username: 'a', sub: '1', groups: ['x'] }), {
    email: 'a@b',
    username: 'a',
    subject: '1',
    groups: ['x'],
    identityProvider: 'p',
    issuer: 'https://i',
  })
})

test('a mail address that nobody vouches for is none, nor is what is no name', () => {
  assert.equal(read({ email: 'a@b', email_verified: false }).email, undefined)
  assert.equal(read({ email: 'a@b', email_verified: true }).email, 'a@b')
  assert.equal(read({ email: 'a@b', email_verified: 'true' }).email, 'a@b')
  for (const email_verified of ['false', 0, null, 'yes'])
    assert.equal(read({ email: 'a@b', email_verified }).email, undefined)
  for (const email of ['', 1, null, ['a@b'], 'a\u0000b', 'x'.repeat(257)])
    assert.equal(read({ email }).email, undefined)
})

const groups: [claims: Record<string, unknown>, groups: string[]][] = [
  [{ groups: ['a', 'oidc:b', 'corp:c', 'b'] }, ['a', 'b', 'c']],
  [{ groups: 'a' }, ['a']],
  [{ groups: ['a', 1, null, ''] }, ['a']],
  [{ realm_access: { roles: ['r', 'oidc:s'] } }, ['r', 's']],
  [{ groups: [], realm_access: { roles: ['r'] } }, []],
  [{ realm_access: 'r' }, []],
  [{}, []],
]
for (const [claims, expected] of groups)
  test(`the groups of ${JSON.stringify(claims)} are ${expected.join(', ') || 'none'}`, () => {
    assert.deepEqual(read(claims).groups, expected)
  })
