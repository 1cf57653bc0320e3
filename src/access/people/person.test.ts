import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupPrefixes } from '../group-prefixes.ts'
import { personOf } from './person.ts'

const alone: GroupPrefixes = { isOnly: true, own: ['oidc:', 'corp:'], others: [] }
const read = (claims: Record<string, unknown>, prefixes = alone, email?: string) =>
  personOf({ claims: { iss: 'https://i', ...claims }, provider: 'p', ...(email !== undefined && { email }) }, prefixes)

test('a person is what the claims say', () => {
  assert.deepEqual(read({ email: 'a@b', preferred_username: 'a', sub: '1', groups: ['x'] }, alone, 'a@b'), {
    email: 'a@b',
    username: 'a',
    subject: '1',
    groups: ['x'],
    identityProvider: 'p',
    issuer: 'https://i',
  })
})

test('a mail address that nobody vouches for is none, and is remembered as what they say', () => {
  const { email, claimedEmail } = read({ email: 'a@b' })
  assert.deepEqual([email, claimedEmail], [undefined, 'a@b'])
  for (const wrong of ['', 1, null, ['a@b'], 'a\u0000b', 'x'.repeat(257)])
    assert.equal(read({ email: wrong }).claimedEmail, undefined)
})

test('F9a: of several providers only the own prefix is taken off, and groups with the prefix of another are none', () => {
  const several: GroupPrefixes = { isOnly: false, own: ['a:'], others: ['b:', 'oidc:'] }
  const { groups, amongProviders } = read({ groups: ['x', 'a:y', 'b:z', 'oidc:z'] }, several)
  assert.deepEqual(groups, ['x', 'y'])
  assert.deepEqual(amongProviders, { groupPrefixes: ['a:'] })
  const nested = ['a:b:z', 'a:a:b:z', 'a:oidc:z', 'a:a:y']
  assert.deepEqual(read({ groups: nested }, several).groups, ['y'], 'nor what one prefix hides behind another')
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
