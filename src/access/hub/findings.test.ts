import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BreakglassEscalation, EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Stored } from '../../kube/objects.ts'
import type { KnownObjects } from '../admission/escalation-refs.ts'
import { defaultAccessSettings } from '../settings.ts'
import { escalationFindings } from './escalation-findings.ts'
import { auditFinding, mailFinding, policyFinding } from './object-findings.ts'

const named = (name: string, namespace = 'n') => ({
  metadata: { name, namespace, uid: name, resourceVersion: '1', generation: 2 },
})
const known: KnownObjects = {
  clusters: (name) => ({ prod: 1, twice: 2 })[name] ?? 0,
  blocksSelfApproval: () => false,
  provider: (name) => ({ on: 'usable' as const, off: 'disabled' as const })[name],
  hasPolicy: (name) => name === 'policy',
  mailProvider: (name) => (name === 'mail' ? 'usable' : undefined),
}
const escalation = (spec: Partial<EscalationSpec>): Stored<BreakglassEscalation> => ({
  ...named('e'),
  spec: { escalatedGroup: 'g', allowed: { clusters: ['prod'] }, approvers: { users: ['a@b.c'] }, ...spec },
})
const wrongOf = (spec: Partial<EscalationSpec>, others: Stored<BreakglassEscalation>[] = []) =>
  escalationFindings(escalation(spec), others, known, defaultAccessSettings)
    .filter(({ status }) => status === 'False')
    .map(({ type, reason }) => `${type} ${reason}`)

test('each condition has its own reason, and Ready follows those that stop everybody', () => {
  assert.deepEqual(wrongOf({}), [])
  assert.deepEqual(wrongOf({ approvers: {} }), ['Ready ValidationFailed', 'ConfigValidated ConfigValidationFailed'])
  assert.deepEqual(wrongOf({ denyPolicyRefs: ['policy', 'none'] }), [
    'Ready ValidationFailed',
    'DenyPolicyRefsValid DenyPolicyRefValidationFailed',
  ])
  assert.deepEqual(wrongOf({ mailProvider: 'none' }), ['MailProviderValid MailProviderValidationFailed'])
})

test('a cluster that left does not take the way into the others', () => {
  assert.deepEqual(wrongOf({ allowed: { clusters: ['prod', 'gone'] } }), [
    'ClusterRefsValid ClusterRefValidationFailed',
  ])
  assert.deepEqual(wrongOf({ allowed: { clusters: ['twice'] } }), [
    'Ready ValidationFailed',
    'ClusterRefsValid ClusterRefValidationFailed',
  ])
  assert.deepEqual(wrongOf({ allowed: { clusters: ['none-*'] } }), [])
  const [ready] = escalationFindings(escalation({ mailProvider: 'x' }), [], known, defaultAccessSettings)
  assert.match(ready?.message ?? '', /spec\.mailProvider: MailProvider x is not there/)
})

test('a list of identity providers of which none can be used lets nobody in', () => {
  assert.deepEqual(wrongOf({ allowedIdentityProviders: ['on', 'off'] }), ['IDPRefsValid IDPRefValidationFailed'])
  assert.deepEqual(wrongOf({ allowedIdentityProviders: ['off'] }), [
    'Ready ValidationFailed',
    'IDPRefsValid IDPRefValidationFailed',
  ])
})

test('of two of one name neither is Ready', () => {
  assert.deepEqual(wrongOf({}, [escalation({}), { ...escalation({}), ...named('e', 'other') }]), [
    'Ready ValidationFailed',
    'ConfigValidated ConfigValidationFailed',
  ])
})

test('policies and audit configurations', () => {
  assert.equal(policyFinding({ spec: {} }).reason, 'ValidationFailed')
  assert.equal(auditFinding({ spec: { sinks: [{ name: 'l', type: 'log' }] } }).reason, 'ConfigurationValid')
  const idle = auditFinding({ spec: { sinks: [{ name: 'l', type: 'log' }], queue: { dropOnFull: false } } })
  assert.match(idle.message, /^events are sent as it says; spec\.queue\.dropOnFull: has no effect/)
  const kafka = { name: 'k', type: 'kafka' as const, kafka: { brokers: ['a:1'], topic: 't' } }
  const found = auditFinding({ spec: { sinks: [kafka] } })
  assert.deepEqual([found.status, found.reason], ['False', 'ValidationFailed'])
  assert.match(found.message, /Lanyard does not send to Kafka.* k/)
})

test('mail providers: switched off, wrong, ill or usable', () => {
  const spec = { smtp: { host: 'm', port: 25 }, sender: { address: 'a@b.de' } }
  const provider = (changes: object = {}, status: object = {}): Stored<MailProvider> => ({
    ...named('m'),
    spec: { ...spec, ...changes },
    status,
  })
  const reasonOf = (one: Stored<MailProvider>, ...others: MailProvider[]) => mailFinding(one, [one, ...others]).reason
  assert.equal(reasonOf(provider()), 'Configured')
  assert.equal(reasonOf(provider({ disabled: true })), 'Disabled')
  assert.equal(reasonOf(provider({ smtp: { ...spec.smtp, username: 'u' } })), 'ValidationFailed')
  assert.equal(
    reasonOf(provider({ default: true }), { ...named('o'), spec: { ...spec, default: true } }),
    'ValidationFailed',
  )
  const ill = (observedGeneration: number) => ({
    conditions: [
      { type: 'Healthy', status: 'False', reason: 'a', message: 'no', lastTransitionTime: '', observedGeneration },
    ],
  })
  assert.equal(reasonOf(provider({}, ill(2))), 'Unhealthy')
  assert.equal(reasonOf(provider({}, ill(1))), 'Configured')
})
