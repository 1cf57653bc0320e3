import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImpersonationRule } from '../../apis/breakglass/deny-rule-fields.ts'
import { compilePolicies } from './compile.ts'
import type { PolicyFacts } from './contract.ts'
import { impersonationOf, whyNeverGranted } from './impersonation.ts'
import { policyOf } from './testing/arbitraries.ts'

const { signal } = new AbortController()
const noFacts: PolicyFacts = {
  namespaceLabels: async () => undefined,
  pod: async () => undefined,
  isNamespaced: async () => undefined,
}
const what = (
  resource: string,
  name: string,
  more: { subresource?: string; namespace?: string; group?: string } = {},
) => ({
  ...{ group: 'authentication.k8s.io', subresource: '', namespace: '' },
  ...{ resource, name },
  ...more,
})
const becauseOf = async (rule: ImpersonationRule, verb: string, resource: ReturnType<typeof what>) => {
  const set = compilePolicies([policyOf('p', { impersonationRules: [rule] })])
  const verdict = await set.evaluate({ cluster: 'east', tenant: '', verb, resource }, noFacts, signal)
  return verdict.denied ? verdict.because : undefined
}

test('verbs of impersonation are told apart', () => {
  assert.equal(impersonationOf('get'), undefined)
  assert.deepEqual(impersonationOf('impersonate'), { asks: 'identity', mode: 'legacy' })
  assert.deepEqual(impersonationOf('impersonate:user-info'), { asks: 'identity', mode: 'user-info' })
  const action = { asks: 'action', mode: 'serviceaccount', verb: 'list' }
  assert.deepEqual(impersonationOf('impersonate-on:serviceaccount:list'), action)
  for (const verb of [
    'impersonate:',
    'impersonate:legacy',
    'impersonate-on:user-info',
    'impersonate-on:x:get',
    'impersonated',
  ])
    assert.deepEqual(impersonationOf(verb), { asks: 'unknown' }, verb)
})

test('a rule that says nothing refuses every kind of impersonation, and nothing else', async () => {
  assert.ok(await becauseOf({}, 'impersonate', what('users', 'bob')))
  assert.ok(await becauseOf({}, 'impersonate:arbitrary-node', what('nodes', 'n1')))
  assert.ok(await becauseOf({}, 'impersonate-on:user-info:list', what('pods', '', { group: '' })))
  assert.equal(await becauseOf({}, 'get', what('users', 'bob')), undefined)
})

test('identities are refused by mode, kind, name and key', async () => {
  const rule: ImpersonationRule = {
    modes: ['legacy'],
    identityResources: ['users'],
    identities: ['admin-*'],
    reason: 'ask',
  }
  assert.equal(await becauseOf(rule, 'impersonate', what('users', 'admin-1')), 'ask')
  assert.equal(await becauseOf(rule, 'impersonate', what('users', '')), 'ask')
  assert.equal(await becauseOf(rule, 'impersonate', what('users', 'bob')), undefined)
  assert.equal(await becauseOf(rule, 'impersonate', what('groups', 'admin-1')), undefined)
  assert.equal(await becauseOf(rule, 'impersonate:user-info', what('users', 'admin-1')), undefined)
  assert.equal(await becauseOf(rule, 'impersonate-on:user-info:get', what('users', 'admin-1')), undefined)
  const keys: ImpersonationRule = { extraKeys: ['Scopes'] }
  assert.ok(await becauseOf(keys, 'impersonate:user-info', what('userextras', 'view', { subresource: 'scopes' })))
  assert.equal(await becauseOf(keys, 'impersonate:user-info', what('users', 'bob')), undefined)
})

test('what is done as somebody else is refused by verb, target and namespace', async () => {
  const rule: ImpersonationRule = {
    ...{ actionVerbs: ['delete'], targetAPIGroups: [''], targetResources: ['pods'] },
    namespaces: { patterns: ['prod'] },
  }
  const pod = what('pods', 'x', { group: '', namespace: 'prod' })
  assert.ok(await becauseOf(rule, 'impersonate-on:user-info:delete', pod))
  assert.equal(await becauseOf(rule, 'impersonate-on:user-info:get', pod), undefined)
  assert.equal(await becauseOf(rule, 'impersonate-on:user-info:delete', { ...pod, namespace: 'dev' }), undefined)
  assert.equal(await becauseOf(rule, 'impersonate-on:user-info:delete', { ...pod, resource: 'secrets' }), undefined)
  assert.equal(await becauseOf(rule, 'impersonate:user-info', what('users', 'bob')), undefined)
})

test('no session grants to be a master, to be anybody, or what nobody knows', () => {
  const never = (verb: string, resource: ReturnType<typeof what>) => whyNeverGranted({ verb, resource }) !== undefined
  assert.equal(never('impersonate', what('groups', 'system:masters')), true)
  assert.equal(never('impersonate:user-info', what('groups', 'system:masters')), true)
  assert.equal(never('impersonate', what('users', '*')), true)
  assert.equal(never('impersonate', what('groups', '')), true)
  assert.equal(never('impersonate:nobody', what('users', 'bob')), true)
  assert.equal(never('impersonate', what('groups', 'developers')), false)
  assert.equal(never('impersonate-on:user-info:list', what('pods', '', { group: '' })), false)
  assert.equal(never('get', what('groups', 'system:masters')), false)
})
