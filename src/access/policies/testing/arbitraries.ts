/** Random policies and requests from few words, so that they often meet. */
import fc from 'fast-check'
import type { DenyPolicy, DenyPolicySpec } from '../../../apis/breakglass/deny-policy.ts'
import type { DenyRule, ImpersonationRule } from '../../../apis/breakglass/deny-rule-fields.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { PolicyRequest, PolicySession } from '../contract.ts'

const some = <V>(...values: V[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
const someIfAny = <V>(...values: V[]) => fc.option(fc.oneof(some(...values), fc.constant<V[]>([])), { nil: undefined })
/** Without the fields that are undefined: as they come from a server. */
const fields = <T extends object>(shape: { [K in keyof T]-?: fc.Arbitrary<T[K] | undefined> }): fc.Arbitrary<T> =>
  (fc.record(shape as Record<string, fc.Arbitrary<unknown>>) as fc.Arbitrary<object>).map(
    (made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as T,
  )

const sessionNames = ['s-1', 's-2']
const modes = ['user-info', 'serviceaccount', 'arbitrary-node', 'associated-node', 'legacy'] as const
export const policyNames = ['p-1', 'p-2', 'p-3', 'p-4', 'p-5', 'p-6']

const term = fields<{ matchLabels?: Record<string, string>; matchExpressions?: never[] }>({
  matchLabels: fc.option(fc.dictionary(fc.constantFrom('env', 'team'), fc.constantFrom('a', 'b'), { maxKeys: 2 }), {
    nil: undefined,
  }),
  matchExpressions: fc.option(
    fc.array(
      fc.record({
        key: fc.constantFrom('env', 'team'),
        operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ) as fc.Arbitrary<never[]>,
    { nil: undefined },
  ),
})
const filter = fields<NonNullable<DenyRule['namespaces']>>({
  patterns: someIfAny('prod', 'prod-*', '*-1', 'dev', '*', 'p?od'),
  selectorTerms: fc.option(fc.array(term, { minLength: 1, maxLength: 2 }), { nil: undefined }),
})
const filterIfAny = fc.option(filter, { nil: undefined })

const rule = fields<DenyRule>({
  verbs: some('*', 'get', 'list', 'watch', 'delete', 'create', 'impersonate'),
  apiGroups: someIfAny('*', '', 'apps'),
  resources: someIfAny('*', 'pods', 'secrets', 'pods/exec', 'pods/*', '*/scale', 'deployments'),
  subresources: someIfAny('*', '', 'exec', 'scale'),
  resourceNames: someIfAny('*', 'db', 'db-*', '?b'),
  namespaces: filterIfAny,
  nonResourceURLs: someIfAny('*', '/healthz', '/metrics*', '/met*', '/'),
})
const impersonationRule = fields<ImpersonationRule>({
  modes: someIfAny(...modes),
  identityResources: someIfAny('users', 'groups', 'userextras', 'serviceaccounts'),
  identities: someIfAny('bob', 'b*', 'system:*'),
  extraKeys: someIfAny('scopes', '*'),
  actionVerbs: someIfAny('list', 'create', 'delete', '*'),
  targetAPIGroups: someIfAny('', 'apps', '*'),
  targetResources: someIfAny('pods', '*', 'pods/exec', '*/scale'),
  namespaces: filterIfAny,
  reason: fc.constant(undefined),
})

const appliesTo = fields<NonNullable<DenyPolicySpec['appliesTo']>>({
  clusters: someIfAny('east', 'west', '*'),
  tenants: someIfAny('acme', 'globex', '*'),
  sessions: fc.option(some(...sessionNames, '*'), { nil: undefined, freq: 2 }),
})
const spec = fields<DenyPolicySpec>({
  appliesTo: fc.option(appliesTo, { nil: undefined }),
  rules: fc.option(fc.array(rule, { maxLength: 3 }), { nil: undefined }),
  impersonationRules: fc.option(fc.array(impersonationRule, { maxLength: 2 }), { nil: undefined }),
  podSecurityRules: fc.constant(undefined),
  precedence: fc.option(fc.constantFrom(1, 100, 200), { nil: undefined }),
})

export const policyOf = (name: string, made: DenyPolicySpec): Stored<DenyPolicy> => ({
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1' },
  spec: made,
})

export const policySets: fc.Arbitrary<Stored<DenyPolicy>[]> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...policyNames), spec), { selector: ([name]) => name, maxLength: 6 })
  .map((made) => made.map(([name, given]) => policyOf(name, given)))

const collections = ['list', 'watch', 'deletecollection']
const verbs = ['get', ...collections, 'delete', 'create', 'impersonate', 'impersonate:user-info', 'impersonate:nobody']
const actions = [
  'impersonate-on:user-info:list',
  'impersonate-on:user-info:get',
  'impersonate-on:serviceaccount:delete',
  'impersonate-on:user-info:',
]
const resource = fc.record({
  group: fc.constantFrom('', 'apps', 'batch'),
  resource: fc.constantFrom(
    'pods',
    'secrets',
    'deployments',
    'nodes',
    'users',
    'groups',
    'userextras',
    'serviceaccounts',
  ),
  subresource: fc.constantFrom('', 'exec', 'scale', 'scopes'),
  namespace: fc.constantFrom('', 'prod', 'prod-1', 'dev', 'other'),
  name: fc.constantFrom('', 'db', 'db-1', 'bob', 'system:masters', '*'),
})
const place = {
  cluster: fc.constantFrom('east', 'west', 'north'),
  tenant: fc.constantFrom('acme', 'globex', ''),
  verb: fc.constantFrom(...verbs, ...actions),
}
export const requests: fc.Arbitrary<PolicyRequest> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ ...place, resource }) },
  { weight: 1, arbitrary: fc.record({ ...place, path: fc.constantFrom('/', '/healthz', '/metrics/x', '/met', '') }) },
)

const labels = fc.option(fc.dictionary(fc.constantFrom('env', 'team'), fc.constantFrom('a', 'b'), { maxKeys: 2 }), {
  nil: undefined,
  freq: 1,
})
/** What is to be had of the cluster. */
export const known = fc.record({ labels, isNamespaced: fc.constantFrom(true, false, undefined) })

export const sessions: fc.Arbitrary<PolicySession> = fc.record({
  name: fc.constantFrom(...sessionNames, 's-3'),
  denyPolicyRefs: fc.uniqueArray(fc.constantFrom(...policyNames), { maxLength: 2 }),
})
