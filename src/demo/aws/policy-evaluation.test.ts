import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Caller } from './authenticate.ts'
import { context } from './conditions.ts'
import { accessPolicy } from './policy-document.ts'
import { verdictOfCaller } from './policy-evaluation.ts'
import { allow, policyOf } from './testing/scene.ts'
import { arnMatches, globMatches } from './wildcard.ts'

const role = 'arn:aws:iam::111122223333:role/ocm-hub-1'

/** What a user with these policies may. */
function verdict(statements: object[], action = 'iam:GetRole', resource = role, keys: Record<string, string[]> = {}) {
  const account = { id: '111122223333', partition: 'aws', roles: new Map(), users: new Map(), providers: new Map() }
  const policies = statements.map((statement) => accessPolicy(JSON.stringify(policyOf(statement))))
  const principal = { account, name: 'u', arn: 'arn:aws:iam::111122223333:user/u', id: 'AIDA', policies }
  const caller: Caller = { account, arn: principal.arn, userId: 'AIDA', principal, tags: new Map() }
  return verdictOfCaller(caller, { action, resource, known: context(Object.entries(keys)) })
}

for (const [action, resource, expected] of [
  ['iam:GetRole', role, 'allowed'],
  ['IAM:getrole', role, 'allowed'],
  ['iam:Get*', 'arn:aws:iam::111122223333:role/ocm-hub-*', 'allowed'],
  ['iam:GetRol?', 'arn:aws:iam::*:role/ocm-hub-?', 'allowed'],
  ['*', '*', 'allowed'],
  ['iam:GetRoles', role, 'silent'],
  ['iam:GetRol', role, 'silent'],
  ['iam:G.tRole', role, undefined],
  ['sts:*', role, 'silent'],
  ['iam:GetRole', 'arn:aws:iam::111122223333:role/ocm-hub', 'silent'],
  ['iam:GetRole', 'arn:aws:iam::999999999999:role/*', 'silent'],
  ['iam:GetRole', 'arn:aws-cn:iam::111122223333:role/*', 'silent'],
  ['iam:GetRole', 'arn:aws:*:role/ocm-hub-1', undefined],
] as const)
  test(`Action ${action} on ${resource} is ${expected ?? 'no policy'}`, () => {
    if (expected) assert.equal(verdict([allow(action, resource)]), expected)
    else assert.throws(() => verdict([allow(action, resource)]))
  })

test('what no policy mentions is not allowed', () => assert.equal(verdict([]), 'silent'))

test('a Deny wins wherever it stands among any number of Allows', () => {
  const statement = fc.constantFrom(allow('*'), allow('iam:*', role), allow('iam:GetRole'), allow('eks:*'))
  fc.assert(
    fc.property(fc.array(statement), fc.array(statement), (before, after) => {
      assert.equal(verdict([...before, { ...allow('iam:Get*'), Effect: 'Deny' }, ...after]), 'denied')
      assert.equal(verdict([...before, { ...allow('iam:Put*'), Effect: 'Deny' }, allow('*')]), 'allowed')
    }),
  )
})

const tag = (value: string[]) => ({ 'aws:ResourceTag/Owner': value })
for (const [condition, keys, expected] of [
  [{ StringEquals: { 'aws:ResourceTag/owner': 'a' } }, tag(['a']), 'allowed'],
  [{ StringEquals: { 'aws:ResourceTag/Owner': ['b', 'a'] } }, tag(['a']), 'allowed'],
  [{ StringEquals: { 'aws:ResourceTag/Owner': 'A' } }, tag(['a']), 'silent'],
  [{ StringEquals: { 'aws:ResourceTag/Owner': 'a*' } }, tag(['ab']), 'silent'],
  [{ StringEquals: { 'aws:ResourceTag/Owner': 'a' } }, {}, 'silent'],
  [{ StringEquals: { 'aws:ResourceTag/Owner': 'a', 'aws:ResourceTag/other': 'b' } }, tag(['a']), 'silent'],
  [{ StringEqualsIgnoreCase: { 'aws:ResourceTag/Owner': 'A' } }, tag(['a']), 'allowed'],
  [{ StringEqualsIfExists: { 'aws:ResourceTag/Owner': 'a' } }, {}, 'allowed'],
  [{ StringEqualsIfExists: { 'aws:ResourceTag/Owner': 'a' } }, tag(['b']), 'silent'],
  [{ StringNotEquals: { 'aws:ResourceTag/Owner': ['a', 'b'] } }, tag(['b']), 'silent'],
  [{ StringNotEquals: { 'aws:ResourceTag/Owner': 'a' } }, {}, 'allowed'],
  [{ StringLike: { 'aws:ResourceTag/Owner': 'a*' } }, tag(['abc']), 'allowed'],
  [{ StringNotLike: { 'aws:ResourceTag/Owner': 'a*' } }, tag(['abc']), 'silent'],
  [{ StringLike: { 'aws:ResourceTag/Owner': 'a*' }, StringEquals: { 'x:y': '1' } }, tag(['abc']), 'silent'],
  [{ 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a', 'b'] } }, { 'aws:TagKeys': ['b', 'a'] }, 'allowed'],
  [{ 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a', 'b'] } }, { 'aws:TagKeys': ['a', 'c'] }, 'silent'],
  [{ 'ForAllValues:StringEquals': { 'aws:TagKeys': ['a'] } }, {}, 'allowed'],
  [{ 'ForAnyValue:StringEquals': { 'aws:TagKeys': ['a'] } }, { 'aws:TagKeys': ['c', 'a'] }, 'allowed'],
  [{ 'ForAnyValue:StringEquals': { 'aws:TagKeys': ['a'] } }, {}, 'silent'],
  [
    { 'ForAllValues:StringLike': { 'eks:kubernetesGroups': 'a:*' } },
    { 'eks:kubernetesGroups': ['a:1', 'a:2'] },
    'allowed',
  ],
  [
    { 'ForAllValues:StringLike': { 'eks:kubernetesGroups': 'a:*' } },
    { 'eks:kubernetesGroups': ['a:1', 'b'] },
    'silent',
  ],
  [{ 'ForAllValues:StringLike': { 'eks:kubernetesGroups': 'a:*' } }, { 'eks:kubernetesGroups': [] }, 'allowed'],
  [
    { ArnLike: { 'eks:principalArn': 'arn:aws:iam::111122223333:role/ocm-*' } },
    { 'eks:principalArn': [role] },
    'allowed',
  ],
  [{ ArnLike: { 'eks:principalArn': 'arn:aws:iam::111122223333:role/x-*' } }, { 'eks:principalArn': [role] }, 'silent'],
  [{ ArnLike: { 'eks:principalArn': 'arn:aws:*:role/ocm-hub-1' } }, { 'eks:principalArn': [role] }, 'silent'],
  [{ ArnLike: { 'eks:principalArn': 'arn:aws:iam::111122223333:role/ocm-*' } }, {}, 'silent'],
  [{ Bool: { 'aws:SecureTransport': true } }, { 'aws:SecureTransport': ['true'] }, 'allowed'],
] as const)
  test(`${JSON.stringify(condition)} with ${JSON.stringify(keys)} is ${expected}`, () =>
    assert.equal(
      verdict([allow('*', '*', condition)], 'iam:GetRole', role, keys as Record<string, string[]>),
      expected,
    ))

test('a pattern matches all of a text, its other characters as they are', () => {
  assert.ok(globMatches('a*c?', 'abbcd'))
  assert.ok(!globMatches('a*c', 'abcd'))
  assert.ok(!globMatches('a.c', 'abc'))
  const text = fc.string()
  fc.assert(fc.property(text, text, (a, b) => globMatches('*', a + b) && globMatches(`${literal(a)}*`, literal(a) + b)))
})

/** Without the two that mean something. */
const literal = (text: string) => text.replace(/[*?]/g, '.')

test('a star in one part of an ARN does not reach into the next', () => {
  assert.ok(!arnMatches('arn:aws:iam:*', role))
  assert.ok(!arnMatches('arn:aws:iam::*', 'arn:aws:iam::111122223333:role/r'))
  assert.ok(arnMatches('arn:aws:iam::*:role/*', role))
  assert.ok(arnMatches('arn:*:eks:*:*:access-entry/hub/*', 'arn:aws:eks:eu-west-1:1:access-entry/hub/role/1/r/id'))
})
