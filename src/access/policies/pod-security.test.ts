import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { PodSecurityOverrides, PodSecurityRules } from '../../apis/breakglass/pod-security-fields.ts'
import { compilePolicies } from './compile.ts'
import type { PolicyFacts } from './contract.ts'
import { factorsOf, scoreOf } from './pod-factors.ts'
import { policyOf } from './testing/arbitraries.ts'

const { signal } = new AbortController()
const harmless: PodSpec = { containers: [{ name: 'web', securityContext: { runAsNonRoot: true } }] }
const aPod = (spec: Partial<PodSpec>, labels?: Record<string, string>): Pod => ({
  metadata: { name: 'web-1', ...(labels && { labels }) },
  spec: { ...harmless, ...spec },
})
const privileged = aPod({ containers: [{ name: 'web', securityContext: { privileged: true, runAsUser: 7 } }] })

interface Given {
  pod?: Pod
  labels?: Record<string, string>
  overrides?: PodSecurityOverrides[]
  subresource?: string
}
const upTo = (maxScore: number): PodSecurityRules['thresholds'] => [{ maxScore, action: 'allow' }]

async function judged(
  rules: Partial<PodSecurityRules>,
  { pod, labels, overrides = [], subresource = 'exec' }: Given = {},
) {
  const podSecurityRules = { riskFactors: {}, thresholds: upTo(0), ...rules }
  const set = compilePolicies([policyOf('p', { podSecurityRules })])
  const resource = { group: '', resource: 'pods', subresource, namespace: 'prod', name: 'web-1' }
  const facts: PolicyFacts = {
    pod: async () => pod,
    namespaceLabels: async () => labels,
    isNamespaced: async () => undefined,
  }
  const sessions = overrides.map((given) => ({ name: 's', denyPolicyRefs: [], podSecurityOverrides: given }))
  return set.evaluate({ cluster: 'east', tenant: '', verb: 'create', resource }, facts, signal, sessions)
}
const isRefused = async (rules: Partial<PodSecurityRules>, given?: Given) => (await judged(rules, given)).denied

test('what reaches into a pod is looked at, and what is listed in its place', async () => {
  const rules = { blockFactors: ['privilegedContainer'] }
  for (const subresource of ['exec', 'attach', 'portforward', 'ephemeralcontainers'])
    assert.equal(await isRefused(rules, { pod: privileged, subresource }), true, subresource)
  assert.equal(await isRefused(rules, { pod: privileged, subresource: 'log' }), false)
  const listed = { ...rules, appliesTo: { subresources: ['log'] } }
  assert.equal(await isRefused(listed, { pod: privileged, subresource: 'log' }), true)
  assert.equal(await isRefused(listed, { pod: privileged }), false)
})

test('a pod that cannot be read is refused, unless the policy is open', async () => {
  assert.equal(await isRefused({}), true)
  assert.equal(await isRefused({ failMode: 'closed' }), true)
  assert.equal(await isRefused({ failMode: 'open' }), false)
})

test('regular, init and ephemeral containers count', async () => {
  const bad = { name: 'debug', securityContext: { privileged: true } }
  const rules = { blockFactors: ['privilegedContainer'] }
  assert.equal(await isRefused(rules, { pod: aPod({}) }), false)
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const)
    assert.equal(await isRefused(rules, { pod: aPod({ [list]: [bad] }) }), true, list)
})

test('a container may be root unless something says otherwise', () => {
  const root = (spec: Partial<PodSpec>, status?: object) =>
    factorsOf({ ...aPod(spec), ...(status && { status }) } as Pod, []).includes('runAsRoot:web')
  const web = (securityContext?: object) => ({
    containers: [{ name: 'web', ...(securityContext && { securityContext }) }],
  })
  assert.equal(root(web({ runAsUser: 0, runAsNonRoot: true })), true)
  assert.equal(root({ ...web(), securityContext: { runAsUser: 0 } }), true)
  assert.equal(root({ ...web({ runAsUser: 7 }), securityContext: { runAsUser: 0 } }), false)
  assert.equal(root({ ...web(), securityContext: { runAsNonRoot: true } }), false)
  assert.equal(root({ ...web({ runAsNonRoot: false }), securityContext: { runAsNonRoot: true } }), true)
  assert.equal(root(web()), true)
  assert.equal(root({ ...web(), os: { name: 'windows' } }), false)
  assert.equal(root(web(), { containerStatuses: [{ name: 'web', user: { linux: { uid: 1000 } } }] }), false)
})

test('capabilities are found by any spelling, and all of them in ALL', async () => {
  const with_ = (capabilities: { add?: string[]; drop?: string[] }) =>
    aPod({ containers: [{ name: 'web', securityContext: { runAsNonRoot: true, capabilities } }] })
  const admin = { blockFactors: ['capability:CAP_SYS_ADMIN'] }
  assert.equal(await isRefused(admin, { pod: with_({ add: ['sys_admin'] }) }), true)
  assert.equal(await isRefused(admin, { pod: with_({ add: ['NET_ADMIN'] }) }), false)
  assert.equal(await isRefused(admin, { pod: with_({ add: ['ALL'] }) }), true)
  assert.equal(await isRefused(admin, { pod: with_({ add: ['ALL'], drop: ['CAP_SYS_ADMIN'] }) }), false)
  assert.equal(await isRefused({ blockFactors: ['capability'] }, { pod: with_({ add: ['CHOWN'] }) }), true)
  const riskFactors = { capabilities: { CAP_SYS_ADMIN: 50, NET_ADMIN: 20 } }
  const weighed = factorsOf(with_({ add: ['ALL'] }), Object.keys(riskFactors.capabilities))
  assert.equal(scoreOf(weighed, riskFactors), 70)
})

test('what is of the pod counts once, capabilities once a container, volumes each', () => {
  const bad = { privileged: true, runAsUser: 0, capabilities: { add: ['NET_ADMIN'] } }
  const pod = aPod({
    ...{ hostNetwork: true, hostPID: true, hostIPC: true },
    containers: [
      { name: 'a', securityContext: bad, volumeMounts: [{ name: 'logs', mountPath: '/l', readOnly: true }] },
      { name: 'b', securityContext: bad, volumeMounts: [{ name: 'etc', mountPath: '/e' }] },
    ],
    volumes: [
      { name: 'logs', hostPath: { path: '/var/log' } },
      { name: 'etc', hostPath: { path: '/etc' } },
      { name: 'own', emptyDir: {} },
    ],
  })
  const weights = {
    ...{ hostNetwork: 1, hostPID: 10, hostIPC: 100, privilegedContainer: 1_000, runAsRoot: 10_000 },
    ...{ hostPathWritable: 100_000, hostPathReadOnly: 1_000_000, capabilities: { NET_ADMIN: 10_000_000 } },
  }
  assert.equal(scoreOf(factorsOf(pod, ['NET_ADMIN']), weights), 21_111_111)
})

test('the first threshold that the score does not exceed counts, and above them all it is refused', async () => {
  const rules: Partial<PodSecurityRules> = {
    riskFactors: { hostNetwork: 10, hostPID: 20, hostIPC: 70 },
    thresholds: [
      { maxScore: 5, action: 'allow' },
      { maxScore: 15, action: 'warn', reason: '{{.Pod}} in {{ .Namespace }}: {{.Score}} for {{.Factors}} {{.Other}}' },
      { maxScore: 30, action: 'deny', reason: 'too much' },
      { maxScore: 50, action: 'allow' },
    ],
  }
  assert.deepEqual(await judged(rules, { pod: aPod({}) }), { denied: false, warnings: [] })
  const warned = ['policy p: web-1 in prod: 10 for hostNetwork {{.Other}}']
  assert.deepEqual(await judged(rules, { pod: aPod({ hostNetwork: true }) }), { denied: false, warnings: warned })
  const denied = { denied: true, policy: 'p', because: 'too much' }
  assert.deepEqual(await judged(rules, { pod: aPod({ hostPID: true }) }), denied)
  assert.equal(await isRefused(rules, { pod: aPod({ hostIPC: true }) }), true)
})

test('pods are exempt by namespace or by all of their labels', async () => {
  const exempt = (exemptions: NonNullable<PodSecurityRules['exemptions']>) => ({
    blockFactors: ['privilegedContainer'],
    exemptions,
  })
  const labels = { app: 'node-agent', tier: 'system' }
  const pod = { ...privileged, metadata: { name: 'web-1', labels } }
  assert.equal(await isRefused(exempt({ namespaces: { patterns: ['prod'] } }), { pod }), false)
  assert.equal(await isRefused(exempt({ namespaces: { patterns: ['prod'] } })), false, 'it need not even be read')
  assert.equal(await isRefused(exempt({ namespaces: {} }), { pod }), true)
  assert.equal(await isRefused(exempt({ podLabels: labels }), { pod }), false)
  assert.equal(await isRefused(exempt({ podLabels: { ...labels, more: 'x' } }), { pod }), true)
  assert.equal(await isRefused(exempt({ podLabels: {} }), { pod }), true)
  const byLabel = exempt({ namespaces: { selectorTerms: [{ matchLabels: { env: 'lab' } }] } })
  assert.equal(await isRefused(byLabel, { pod, labels: { env: 'lab' } }), false)
  assert.equal(await isRefused(byLabel, { pod }), true, 'labels that cannot be read exempt nobody')
})

test('a session overrides only what its escalation enables, where it enables it', async () => {
  const rules = { riskFactors: { hostPID: 40 }, blockFactors: ['privilegedContainer'] }
  const pod = { ...privileged, spec: { ...privileged.spec, hostPID: true } } as Pod
  const passes = async (given: PodSecurityOverrides, labels?: Record<string, string>) =>
    !(await isRefused(rules, { pod, overrides: [given], ...(labels && { labels }) }))
  const enough = { enabled: true, exemptFactors: ['privilegedContainer'], maxAllowedScore: 40 }
  assert.equal(await passes(enough), true)
  assert.equal(await passes({ ...enough, enabled: false }), false)
  assert.equal(await passes({ ...enough, maxAllowedScore: 39 }), false)
  assert.equal(await passes({ ...enough, exemptFactors: [] }), false)
  assert.equal(await passes({ ...enough, namespaceScope: { patterns: ['dev'] } }), false)
  const scoped = { ...enough, namespaceScope: { selectorTerms: [{ matchLabels: { env: 'lab' } }] } }
  assert.equal(await passes(scoped, { env: 'lab' }), true)
  assert.equal(await passes(scoped), false)
})

test('an override is of one session: another that would grant the same is held to the rules', async () => {
  const podSecurityRules: PodSecurityRules = {
    ...{ riskFactors: { hostPID: 5 }, blockFactors: ['privilegedContainer'] },
    thresholds: [{ maxScore: 9, action: 'warn' }],
  }
  const set = compilePolicies([policyOf('p', { podSecurityRules })])
  const resource = { group: '', resource: 'pods', subresource: 'exec', namespace: 'prod', name: 'web-1' }
  const request = { cluster: 'east', tenant: '', verb: 'create', resource }
  const facts: PolicyFacts = {
    pod: async () => privileged,
    namespaceLabels: async () => undefined,
    isNamespaced: async () => undefined,
  }
  const podSecurityOverrides = { enabled: true, exemptFactors: ['privilegedContainer'] }
  const [strong, weak] = [
    { name: 'strong', denyPolicyRefs: [], podSecurityOverrides },
    { name: 'weak', denyPolicyRefs: [] },
  ]
  const everybody = await set.evaluate(request, facts, signal, [weak, strong])
  assert.ok(!everybody.denied && everybody.warnings.length === 1)
  assert.deepEqual(await set.evaluateFor(strong, request, facts, signal), { denied: false, warnings: [] })
  assert.equal((await set.evaluateFor(weak, request, facts, signal)).denied, true)
})
