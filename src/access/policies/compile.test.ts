import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DenyPolicySpec } from '../../apis/breakglass/deny-policy.ts'
import type { DenyRule } from '../../apis/breakglass/deny-rule-fields.ts'
import { compilePolicies } from './compile.ts'
import type { PolicyFacts, PolicyRequest, PolicySet, PolicyVerdict } from './contract.ts'
import { policyOf } from './testing/arbitraries.ts'

const { signal } = new AbortController()
const noFacts: PolicyFacts = {
  namespaceLabels: async () => undefined,
  pod: async () => undefined,
  isNamespaced: async () => undefined,
}
const labelled = (labels: Record<string, string>): PolicyFacts => ({ ...noFacts, namespaceLabels: async () => labels })

const compiled = (policies: Record<string, DenyPolicySpec>): PolicySet =>
  compilePolicies(Object.entries(policies).map(([name, spec]) => policyOf(name, spec)))
const asks = (
  given: Partial<NonNullable<PolicyRequest['resource']>> & { verb?: string; cluster?: string; tenant?: string } = {},
): PolicyRequest => {
  const { verb = 'get', cluster = 'east', tenant = 'acme', ...resource } = given
  const secret = { group: '', resource: 'secrets', subresource: '', namespace: 'prod', name: 'db' }
  return { cluster, tenant, verb, resource: { ...secret, ...resource } }
}
const secrets: DenyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
const named = (verdict: PolicyVerdict) => (verdict.denied ? verdict.policy : undefined)
const refusedBy = async (set: PolicySet, request: PolicyRequest, facts = noFacts) =>
  named(await set.evaluate(request, facts, signal))
const isRefused = async (rule: Partial<DenyRule>, request: PolicyRequest, facts = noFacts) =>
  (await refusedBy(compiled({ p: { rules: [{ ...secrets, ...rule }] } }), request, facts)) === 'p'

test('of several policies that refuse, the one with the lowest precedence is named, then the first by name', async () => {
  const rules = [secrets]
  const set = compiled({ b: { rules, precedence: 5 }, a: { rules }, d: { rules, precedence: 5 }, c: { rules } })
  assert.equal(await refusedBy(set, asks()), 'b')
  assert.equal(await refusedBy(compiled({ c: { rules }, a: { rules }, b: { rules, precedence: 100 } }), asks()), 'a')
})

test('verb, group and resource must all fit', async () => {
  assert.equal(await isRefused({}, asks()), true)
  assert.equal(await isRefused({}, asks({ verb: 'list' })), false)
  assert.equal(await isRefused({}, asks({ group: 'apps' })), false)
  assert.equal(await isRefused({}, asks({ resource: 'pods' })), false)
  assert.equal(await isRefused({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, asks({ resource: 'pods' })), true)
})

test('a rule without subresources is for whatever is below, and an entry may name what is below itself', async () => {
  const exec = asks({ resource: 'pods', subresource: 'exec' })
  const plain = asks({ resource: 'pods' })
  assert.equal(await isRefused({ resources: ['pods'] }, exec), true)
  assert.equal(await isRefused({ resources: ['pods'], subresources: ['log'] }, exec), false)
  assert.equal(await isRefused({ resources: ['pods'], subresources: ['exec'] }, plain), false)
  assert.equal(await isRefused({ resources: ['pods/exec'] }, exec), true)
  assert.equal(await isRefused({ resources: ['pods/exec'] }, plain), false)
  assert.equal(await isRefused({ resources: ['pods/*'] }, plain), false)
  assert.equal(await isRefused({ resources: ['*/exec'] }, exec), true)
})

test('F6c: who reaches into a pod by a GET is refused what a rule forbids to create', async () => {
  for (const resources of [['pods/exec'], ['pods/*'], ['*/exec'], ['pods'], ['*']]) {
    const exec = asks({ resource: 'pods', subresource: 'exec' })
    assert.equal(await isRefused({ verbs: ['create'], resources }, exec), true, resources[0])
    const log = asks({ resource: 'pods', subresource: 'log' })
    assert.equal(await isRefused({ verbs: ['create'], resources }, log), false, resources[0])
  }
  const acting = compiled({ p: { impersonationRules: [{ actionVerbs: ['create'], targetResources: ['pods/exec'] }] } })
  const verb = 'impersonate-on:user-info:get'
  assert.equal(await refusedBy(acting, asks({ verb, resource: 'pods', subresource: 'exec' })), 'p')
})

test('a rule on names is not for requests that name nothing', async () => {
  assert.equal(await isRefused({ resourceNames: ['db*'] }, asks({ name: 'db-1' })), true)
  assert.equal(await isRefused({ resourceNames: ['db*'] }, asks({ name: '' })), false)
  assert.equal(await isRefused({ resourceNames: ['*'] }, asks({ name: '' })), false)
})

test('a rule on namespaces is not for what is in none, but for lists of all namespaces', async () => {
  const namespaces = { patterns: ['prod*'] }
  const everywhere = asks({ verb: 'list', namespace: '', name: '' })
  assert.equal(await isRefused({ namespaces }, asks()), true)
  assert.equal(await isRefused({ namespaces }, asks({ namespace: 'dev' })), false)
  assert.equal(await isRefused({ namespaces }, asks({ namespace: '' })), false)
  assert.equal(await isRefused({ namespaces: {} }, asks({ namespace: '' })), true)
  assert.equal(await isRefused({ verbs: ['list'], namespaces }, everywhere), true)
})

test('F6a: a rule on all resources with namespaces is for requests of all namespaces, and not for kinds that are in none', async () => {
  const scoped = (isNamespaced: boolean | undefined): PolicyFacts => ({
    ...noFacts,
    isNamespaced: async () => isNamespaced,
  })
  for (const namespaces of [{ patterns: ['prod*'] }, { selectorTerms: [{ matchLabels: { env: 'prod' } }] }]) {
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces }
    const set = compiled({ p: { rules: [rule] } })
    for (const verb of ['list', 'watch', 'deletecollection']) {
      const of = (group: string, resource: string, name = '') => asks({ verb, group, resource, namespace: '', name })
      assert.deepEqual(set.evaluate(of('', 'secrets'), noFacts, signal), {
        ...{ denied: true, policy: 'p' },
        because: `nobody may ${verb} secrets`,
      })
      assert.equal(await refusedBy(set, of('', 'secrets', 'db')), 'p', 'a field selector on a name')
      const labels = { ...labelled({ env: 'prod' }), isNamespaced: async () => false }
      assert.equal(await refusedBy(set, of('', 'namespaces', 'prod'), labels), 'p', 'as a get of it')
      const others = { ...labelled({ env: 'dev' }), isNamespaced: async () => false }
      assert.equal(await refusedBy(set, of('', 'namespaces', 'dev'), others), undefined)
      for (const [group, kind] of [
        ['', 'nodes'],
        ['', 'namespaces'],
        ['rbac.authorization.k8s.io', 'clusterroles'],
      ] as const)
        assert.deepEqual(set.evaluate(of(group, kind), noFacts, signal), { denied: false, warnings: [] })
      const widgets = of('example.com', 'widgets')
      assert.equal(await refusedBy(set, widgets, scoped(true)), 'p')
      assert.equal(await refusedBy(set, widgets, scoped(false)), undefined)
      const unread = await set.evaluate(widgets, scoped(undefined), signal)
      assert.ok(unread.denied && unread.isError && unread.because.includes('widgets.example.com'))
    }
    assert.equal(await refusedBy(set, asks({ verb: 'get', namespace: '', name: 'n' }), scoped(true)), undefined)
  }
})

test('F6b: what is done while acting as somebody else is of all namespaces just the same', async () => {
  const rule = { actionVerbs: ['list'], namespaces: { patterns: ['prod'] } }
  const set = compiled({ p: { impersonationRules: [rule] } })
  const verb = 'impersonate-on:user-info:list'
  assert.equal(await refusedBy(set, asks({ verb, namespace: '', name: '' })), 'p')
  assert.equal(await refusedBy(set, asks({ verb, resource: 'nodes', namespace: '', name: '' })), undefined)
})

test('labels are asked for where a pattern has not decided, and without them it is refused', async () => {
  const namespaces = { patterns: ['kube-*'], selectorTerms: [{ matchLabels: { env: 'prod' } }] }
  const set = compiled({ p: { rules: [{ ...secrets, namespaces }] } })
  assert.ok(!(set.evaluate(asks({ namespace: 'kube-system' }), noFacts, signal) instanceof Promise))
  assert.ok(!(set.evaluate(asks({ verb: 'list' }), noFacts, signal) instanceof Promise))
  assert.equal(await refusedBy(set, asks(), labelled({ env: 'prod' })), 'p')
  assert.equal(await refusedBy(set, asks(), labelled({ env: 'dev' })), undefined)
  const unread = await set.evaluate(asks(), noFacts, signal)
  assert.ok(unread.denied && unread.isError && unread.policy === 'p')
  const failing = { ...noFacts, namespaceLabels: () => Promise.reject(new Error('no answer')) }
  assert.equal(await refusedBy(set, asks(), failing), 'p')
})

test('paths are refused whole or by how they begin', async () => {
  const rule = { verbs: ['get'], nonResourceURLs: ['/metrics*', '/healthz'] }
  const set = compiled({ p: { rules: [rule] } })
  const path = (wanted: string, verb = 'get') => refusedBy(set, { cluster: 'east', tenant: '', verb, path: wanted })
  assert.equal(await path('/metrics/cadvisor'), 'p')
  assert.equal(await path('/healthz'), 'p')
  assert.equal(await path('/healthz/x'), undefined)
  assert.equal(await path('/metrics', 'put'), undefined)
  assert.equal(await refusedBy(set, asks({ resource: '/metrics' })), undefined)
})

test('a policy holds where all lists of its scope fit', async () => {
  const set = compiled({ p: { rules: [secrets], appliesTo: { clusters: ['east', 'west'], tenants: ['acme'] } } })
  assert.equal(await refusedBy(set, asks()), 'p')
  assert.equal(await refusedBy(set, asks({ cluster: 'north' })), undefined)
  assert.equal(await refusedBy(set, asks({ tenant: 'globex' })), undefined)
  const byTenant = compiled({ p: { rules: [secrets], appliesTo: { tenants: ['acme'] } } })
  assert.equal(await refusedBy(byTenant, asks({ cluster: 'north' })), 'p')
  assert.equal(byTenant.mayMatch(asks({ tenant: '' }), []), false)
})

test('a policy for sessions is for what those grant and for nothing else', async () => {
  const set = compiled({
    one: { rules: [secrets], appliesTo: { sessions: ['s-1'] } },
    any: { rules: [{ ...secrets, verbs: ['delete'] }], appliesTo: { sessions: ['*'], clusters: ['east'] } },
  })
  const session = (name: string, denyPolicyRefs: string[] = []) => ({ name, denyPolicyRefs })
  const refusedFor = async (name: string, refs: string[], request: PolicyRequest) =>
    named(await set.evaluateFor(session(name, refs), request, noFacts, signal))
  assert.equal(await refusedBy(set, asks()), undefined)
  assert.equal(await refusedFor('s-1', [], asks()), 'one')
  assert.equal(await refusedFor('s-2', [], asks()), undefined)
  assert.equal(await refusedFor('s-2', ['one'], asks()), 'one')
  assert.equal(await refusedFor('s-2', [], asks({ verb: 'delete' })), 'any')
  assert.equal(await refusedFor('s-2', [], asks({ verb: 'delete', cluster: 'west' })), undefined)
  assert.equal(await refusedFor('s-2', ['gone'], asks({ verb: 'list' })), 'gone')
  assert.equal(set.mayMatch(asks(), [session('s-2')]), false)
  assert.equal(set.mayMatch(asks(), [session('s-2', ['one'])]), true)
  assert.equal(set.mayMatch(asks({ verb: 'list' }), [session('s-2', ['gone'])]), true)
})

test('a policy with the most that it may say is found, and costs no more than it may', async () => {
  const words = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
  const rule = { verbs: words(20, 'v'), apiGroups: words(50, 'g'), resources: words(100, 'r') }
  const rules = Array.from({ length: 200 }, () => rule)
  const before = process.memoryUsage().heapUsed
  const set = compiled({ p: { rules, appliesTo: { clusters: ['east', ...words(49, 'c')] } } })
  assert.equal(await refusedBy(set, asks({ verb: 'v3', group: 'g49', resource: 'r99' })), 'p')
  assert.equal(await refusedBy(set, asks({ verb: 'v3', group: 'other', resource: 'r99' })), undefined)
  assert.ok(process.memoryUsage().heapUsed - before < 400 * 1024 * 1024)
})
