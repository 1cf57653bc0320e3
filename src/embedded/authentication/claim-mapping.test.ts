import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claims } from './claim-mapping.ts'
import { claimMapping } from './claim-mapping.ts'
import type { JwtFields } from './file-schema.ts'

const username = { claim: 'sub', prefix: 'idp:' }
const users = (claimMappings: JwtFields['claimMappings'] = {}, more: JwtFields = {}) =>
  claimMapping({ claimMappings: { username, ...claimMappings }, ...more })

const whyNot = (map: (claims: Claims) => unknown, claims: Claims): string => {
  try {
    return JSON.stringify(map(claims))
  } catch (error) {
    return (error as Error).message
  }
}

test('claims become a user', () => {
  const map = users({ groups: { claim: 'groups', prefix: 'g:' }, uid: { claim: 'id' } })
  assert.deepEqual(map({ sub: 'jane', groups: ['a', 'b'], id: 'u-1', jti: 'j-1' }), {
    name: 'idp:jane',
    uid: 'u-1',
    groups: ['g:a', 'g:b'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j-1'] },
  })
  assert.deepEqual(map({ sub: 'jane', groups: 'a', id: 'u-1' }).groups, ['g:a'])
  assert.deepEqual(map({ sub: 'jane', id: 'u-1' }).groups, [])
})

test('expressions become a user, and what is empty is left out', () => {
  const map = claimMapping({
    claimMappings: {
      username: { expression: '"x:" + claims.sub' },
      groups: { expression: 'claims.?groups.orValue([])' },
      uid: { expression: 'claims.?id.orValue("")' },
      extra: [{ key: 'acme.io/team', valueExpression: 'claims.?team.orValue("")' }],
    },
  })
  assert.deepEqual(map({ sub: 'jane' }), { name: 'x:jane', groups: [] })
  assert.deepEqual(map({ sub: 'jane', groups: ['a', ''], id: 'u-1', team: ['blue'] }), {
    name: 'x:jane',
    uid: 'u-1',
    groups: ['a'],
    extra: { 'acme.io/team': ['blue'] },
  })
  assert.match(
    whyNot(map, { sub: 'jane', groups: [1] }),
    /group claim expression: expression must return a string or a list/,
  )
  assert.match(whyNot(map, { sub: 'jane', id: 1 }), /uid claim expression must return a string/)
  assert.match(whyNot(map, {}), /^oidc: error evaluating username claim expression: /)
})

test('a user must have a name, and it must be text', () => {
  assert.equal(whyNot(users(), {}), 'oidc: parse username claims "sub": claim not present')
  assert.equal(
    whyNot(users(), { sub: 1 }),
    'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
  )
  assert.match(whyNot(users({ username: { claim: 'sub', prefix: '' } }), { sub: '' }), /is empty/)
  assert.match(whyNot(users({ username: { claim: 'toString', prefix: '' } }), {}), /claim not present/)
})

test('an email counts unless its provider says that it is not verified', () => {
  const map = users({ username: { claim: 'email', prefix: '' } })
  assert.equal(map({ email: 'j@x.io' }).name, 'j@x.io')
  assert.equal(map({ email: 'j@x.io', email_verified: true }).name, 'j@x.io')
  assert.equal(whyNot(map, { email: 'j@x.io', email_verified: false }), 'oidc: email not verified')
  assert.match(whyNot(map, { email: 'j@x.io', email_verified: 'true' }), /^oidc: parse 'email_verified' claim: /)
})

test('rules must hold', () => {
  const map = users(
    { groups: { claim: 'groups', prefix: '' } },
    {
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'acme.io' },
        { expression: 'claims.level > 2', message: 'too low' },
      ],
      userValidationRules: [
        { expression: '!user.username.endsWith("root")', message: 'no root' },
        { expression: 'user.groups.all(g, !g.startsWith("system:"))' },
      ],
    },
  )
  const good = { sub: 'jane', hd: 'acme.io', level: 3 }
  assert.equal(map(good).name, 'idp:jane')
  assert.equal(
    whyNot(map, { ...good, hd: undefined }),
    'oidc: required claim hd value does not match. Got = , want = acme.io',
  )
  assert.equal(whyNot(map, { sub: 'jane', level: 3 }), 'oidc: required claim hd not present in ID token')
  assert.match(whyNot(map, { ...good, level: 2 }), /validation expression 'claims.level > 2' failed: too low$/)
  assert.match(whyNot(map, { sub: 'jane', hd: 'acme.io' }), /^oidc: error evaluating claim validation expression: /)
  assert.match(whyNot(map, { ...good, sub: 'root' }), /failed: no root$/)
  assert.match(whyNot(map, { ...good, groups: ['system:masters'] }), /failed: $/)
})
