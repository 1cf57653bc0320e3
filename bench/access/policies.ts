// What deny policies cost a request, apart from everything else: `node bench/access/policies.ts`.
import type { PolicyFacts, PolicyRequest } from '../../src/access/policies/contract.ts'
import { compilePolicies } from '../../src/access/policies/index.ts'
import type { DenyPolicy, DenyPolicySpec } from '../../src/apis/breakglass/deny-policy.ts'
import type { Stored } from '../../src/kube/objects.ts'

const rounds = 5
const evaluations = 200_000
const { signal } = new AbortController()
const noFacts: PolicyFacts = {
  namespaceLabels: async () => undefined,
  pod: async () => undefined,
  isNamespaced: async () => undefined,
}

/** Each for other namespaces and another group; half for one cluster, half for all. The last refuses what is asked. */
function specOf(number: number): DenyPolicySpec {
  const rules = [
    { verbs: ['*'], apiGroups: [`group${number}.example.com`], resources: ['*'] },
    {
      ...{ verbs: ['get', 'list', 'delete'], apiGroups: [''], resources: ['configmaps', 'secrets', 'pods'] },
      namespaces: { patterns: [`team${number}-*`] },
    },
  ]
  return number % 2 === 0 ? { rules } : { rules, appliesTo: { clusters: [`cluster${number}`] } }
}

const policies = (count: number): Stored<DenyPolicy>[] =>
  Array.from({ length: count }, (_, number) => ({
    metadata: { name: `policy${number}`, uid: `${number}`, resourceVersion: '1' },
    spec: specOf(number),
  }))

const asked = (namespace: string, verb = 'get'): PolicyRequest => ({
  ...{ cluster: 'cluster1', tenant: 'tenant1', verb },
  resource: { group: '', resource: 'secrets', subresource: '', namespace, name: 'db' },
})

/** Evaluations a second, the median of some rounds. */
function rate(work: () => unknown): number {
  const found = Array.from({ length: rounds + 1 }, () => {
    const startedAt = performance.now()
    for (let turn = 0; turn < evaluations; turn += 1) work()
    return (evaluations / (performance.now() - startedAt)) * 1_000
  })
  return found.slice(1).sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0
}

for (const count of [10, 1_000]) {
  const given = policies(count)
  const startedAt = performance.now()
  const set = compilePolicies(given)
  const compiledMs = performance.now() - startedAt
  const [passing, refused] = [asked('prod'), asked('team8-blue')]
  const rates = {
    'may match': rate(() => set.mayMatch(passing, [])),
    'nothing matches': rate(() => set.evaluate(passing, noFacts, signal)),
    'one refuses': rate(() => set.evaluate(refused, noFacts, signal)),
  }
  console.log(`${count} policies, compiled in ${compiledMs.toFixed(1)} ms`)
  for (const [what, each] of Object.entries(rates))
    console.log(`  ${what.padEnd(16)} ${Math.round(each).toLocaleString('en').padStart(12)} /s`)
}
