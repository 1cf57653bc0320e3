import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import type { DenyPolicySpec } from '../../apis/breakglass/deny-policy.ts'
import type { DenyRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import { auditMistakes, auditSecretsPutToUse, auditWarnings, unservedSinks } from './check-audit.ts'
import { defaultTaken, mailMistakes, mailSecretsPutToUse } from './check-mail.ts'
import { policyMistakes, policyWarnings } from './check-policy.ts'

const policyFields = (spec: DenyPolicySpec) => policyMistakes({ spec }).map(({ field }) => field)
const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }

test('a policy forbids something, and each of its rules can match', () => {
  assert.deepEqual(policyFields({ rules: [secrets] }), [])
  assert.deepEqual(policyFields({}), ['spec'])
  assert.deepEqual(policyFields({ rules: [] }), ['spec'])
  assert.deepEqual(policyFields({ rules: [{ verbs: ['get'] }] }), ['spec.rules[0]'])
  assert.deepEqual(policyFields({ rules: [{ ...secrets, verbs: [] }] }), ['spec.rules[0].verbs'])
  assert.deepEqual(policyFields({ rules: [{ verbs: ['get'], resources: ['a'] }] }), ['spec.rules[0].apiGroups'])
  assert.deepEqual(policyFields({ rules: [{ verbs: ['get'], apiGroups: [''] }] }), ['spec.rules[0].resources'])
})

test('a rule is of resources or of paths', () => {
  const paths = { verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*', '*'] }
  assert.deepEqual(policyFields({ rules: [paths] }), [])
  assert.deepEqual(policyFields({ rules: [{ ...paths, ...secrets }] }), ['spec.rules[0]'])
  assert.deepEqual(policyFields({ rules: [{ ...paths, namespaces: {} }] }), ['spec.rules[0]'])
  assert.deepEqual(policyFields({ rules: [{ verbs: ['get'], nonResourceURLs: ['logs', '/a*b'] }] }), [
    'spec.rules[0].nonResourceURLs[0]',
    'spec.rules[0].nonResourceURLs[1]',
  ])
})

test('scopes are exact, namespaces may be patterns, and requirements are whole', () => {
  assert.deepEqual(policyFields({ rules: [secrets], appliesTo: { clusters: ['*', 'a'], tenants: ['a*'] } }), [
    'spec.appliesTo.tenants[0]',
  ])
  const namespaces = {
    patterns: ['kube-*', 'A'],
    selectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In' as const }] }],
  }
  assert.deepEqual(policyFields({ rules: [{ ...secrets, namespaces }] }), [
    'spec.rules[0].namespaces.patterns[1]',
    'spec.rules[0].namespaces.selectorTerms[0].matchExpressions[0].values',
  ])
})

test('thresholds rise, and impersonation is of identities or of what is done', () => {
  const thresholds = [10, 10].map((maxScore) => ({ maxScore, action: 'warn' as const }))
  assert.deepEqual(policyFields({ podSecurityRules: { riskFactors: {}, thresholds } }), [
    'spec.podSecurityRules.thresholds[1].maxScore',
  ])
  assert.deepEqual(policyFields({ impersonationRules: [{ identities: ['a'], actionVerbs: ['get'] }] }), [
    'spec.impersonationRules[0].identities',
  ])
})

test('who names single objects is told that lists go unnamed', () => {
  const named = (verbs: string[]) => policyWarnings({ rules: [{ ...secrets, verbs, resourceNames: ['a'] }] })
  assert.deepEqual(named(['delete']), [])
  for (const verb of ['list', 'watch', '*', 'deletecollection'])
    assert.match(named(['delete', verb])[0] ?? '', /^spec\.rules\[0\]\.resourceNames: /)
  assert.ok((named(['*'])[0] ?? '').length < 256)
})

test('F6d: what a rule does not stop is told', () => {
  const told = (rule: Partial<DenyRule>) =>
    policyWarnings({ rules: [{ ...secrets, ...rule }] }).map((text) => {
      assert.ok(text.length < 256)
      return text.replace(/^spec\.rules\[0\]\./, '').split(':')[0]
    })
  const namespaces = { patterns: ['prod'] }
  assert.deepEqual(told({ verbs: ['*'], namespaces }), [])
  assert.deepEqual(told({ verbs: ['*'], resources: ['*'] }), [])
  assert.deepEqual(told({ verbs: ['*'], resources: ['*'], namespaces }), ['namespaces'])
  assert.deepEqual(told({ verbs: ['*'], resources: ['*/scale'], namespaces }), ['namespaces'])
  assert.deepEqual(told({ verbs: ['*'], resources: ['nodes'], namespaces: { selectorTerms: [{}] } }), ['namespaces'])
  assert.deepEqual(told({ verbs: ['*'], resources: ['*'], namespaces: {} }), [])
  assert.deepEqual(told({ verbs: ['get'] }), ['verbs'])
  assert.deepEqual(told({ verbs: ['get', 'list'] }), [])
  assert.deepEqual(told({ verbs: ['get'], resources: ['pods/log'] }), [])
  assert.deepEqual(told({ verbs: ['delete'] }), ['verbs'])
  assert.deepEqual(told({ verbs: ['delete', 'deletecollection'] }), [])
  assert.deepEqual(told({ verbs: ['delete'], resourceNames: ['db'] }), [], 'that one is told once it names the verb')
  assert.deepEqual(told({ verbs: ['update'] }), ['verbs'])
  assert.deepEqual(told({ verbs: ['patch'], resources: ['deployments/scale'] }), ['verbs'])
  assert.deepEqual(told({ verbs: ['update', 'patch'] }), [])
  assert.deepEqual(told({ verbs: ['*'], resources: ['events'] }), ['apiGroups'])
  assert.deepEqual(told({ verbs: ['*'], apiGroups: ['events.k8s.io'], resources: ['events'] }), ['apiGroups'])
  for (const apiGroups of [['*'], ['', 'events.k8s.io']])
    assert.deepEqual(told({ verbs: ['*'], apiGroups, resources: ['events'] }), [])
  assert.deepEqual(told({ verbs: ['create'], resourceNames: ['db'] }), ['resourceNames'])
  assert.deepEqual(told({ verbs: ['create'], resources: ['pods/exec'], resourceNames: ['db'] }), [])
})

test('words of a rule that no API server asks with are a mistake', () => {
  const wrong = (rule: Partial<DenyRule>) => policyFields({ rules: [{ ...secrets, ...rule }] })
  assert.deepEqual(wrong({ verbs: ['GET'] }), ['spec.rules[0].verbs[0]'])
  assert.deepEqual(wrong({ verbs: ['get*'] }), ['spec.rules[0].verbs[0]'])
  assert.deepEqual(wrong({ apiGroups: ['*.example.com'] }), ['spec.rules[0].apiGroups[0]'])
  assert.deepEqual(wrong({ resources: ['secret*'] }), ['spec.rules[0].resources[0]'])
  assert.deepEqual(wrong({ resources: ['Secret'] }), ['spec.rules[0].resources[0]'])
  assert.deepEqual(wrong({ subresources: ['ex*'] }), ['spec.rules[0].subresources[0]'])
  assert.deepEqual(wrong({ resources: ['*', 'pods/*', '*/scale'], apiGroups: ['*', ''], subresources: ['', '*'] }), [])
})

const auditFields = (...sinks: AuditSink[]) => auditMistakes({ spec: { sinks } }).map(({ field }) => field)
const webhook: AuditSink = { name: 'a', type: 'webhook', webhook: { url: 'https://a' } }
const kafka: AuditSink = { name: 'k', type: 'kafka', kafka: { brokers: ['a:1'], topic: 't' } }

test('a sink has the block of its type and no other, and a name of its own', () => {
  assert.deepEqual(auditFields({ name: 'l', type: 'log' }, { name: 'e', type: 'kubernetes' }, webhook, kafka), [])
  assert.deepEqual(auditFields({ name: 'a', type: 'webhook' }), ['spec.sinks[0].webhook'])
  assert.deepEqual(auditFields({ ...webhook, log: {} }), ['spec.sinks[0].log'])
  assert.deepEqual(auditFields({ ...webhook, type: 'log' }), ['spec.sinks[0].webhook'])
  assert.deepEqual(auditFields(webhook, webhook), ['spec.sinks[1].name'])
  assert.deepEqual(
    auditMistakes({}).map(({ field }) => field),
    ['spec.sinks'],
  )
})

test('a rate is a part', () => {
  const rateFields = (rate: string) =>
    auditMistakes({ spec: { sinks: [webhook], sampling: { rate } } }).map(({ field }) => field)
  for (const rate of ['0', '0.0', '0.25', '1', '1.0']) assert.deepEqual(rateFields(rate), [], rate)
  for (const rate of ['1.1', '-1', 'all', '']) assert.deepEqual(rateFields(rate), ['spec.sampling.rate'], rate)
})

test('the Secrets of a sink count as soon as anything in it changes', () => {
  const ref = { name: 's', namespace: 'n' }
  const spec = (url: string) => ({ sinks: [{ ...webhook, webhook: { url, authSecretRef: ref } }] })
  assert.deepEqual(auditSecretsPutToUse(spec('https://a'), undefined), [
    { field: 'spec.sinks[0].webhook.authSecretRef', ref },
  ])
  assert.deepEqual(auditSecretsPutToUse(spec('https://a'), spec('https://a')), [])
  assert.equal(auditSecretsPutToUse(spec('https://thief'), spec('https://a')).length, 1)
})

test('what goes nowhere is told', () => {
  assert.deepEqual(unservedSinks({ sinks: [webhook, kafka] }), ['k'])
  assert.match(auditWarnings({ sinks: [kafka] })[0] ?? '', /does not send to Kafka/)
})

test('a setting that changes nothing is told, unless it is as by default', () => {
  const spec = (queue: object, log: object) => ({ queue, sinks: [{ name: 'l', type: 'log' as const, log }] })
  const byDefault = spec({ size: 2_000, workers: 5, dropOnFull: true }, { level: 'info', format: 'json' })
  assert.deepEqual(auditWarnings(byDefault), [])
  const told = auditWarnings(spec({ workers: 9, dropOnFull: false }, { level: 'warn', format: 'console' }))
  assert.deepEqual(
    told.map((text) => text.replace(/: has no effect.*/, '')),
    ['spec.queue.workers', 'spec.queue.dropOnFull', 'spec.sinks[0].log.format', 'spec.sinks[0].log.level'],
  )
})

const mail = (changes: object = {}, rest: object = {}): MailProvider => ({
  metadata: { name: 'm' },
  spec: { smtp: { host: 'mail.example.com', port: 25, ...changes }, sender: { address: 'a@b.de' }, ...rest },
})
const mailFields = (changes: object) => mailMistakes(mail(changes)).map(({ field }) => field)
const passwordRef = { name: 's', namespace: 'n', key: 'password' }

test('a user name and a password go together, and the key is given', () => {
  assert.deepEqual(mailFields({}), [])
  assert.deepEqual(mailFields({ username: 'u', passwordRef }), [])
  assert.deepEqual(mailFields({ username: 'u' }), ['spec.smtp.passwordRef'])
  assert.deepEqual(mailFields({ passwordRef }), ['spec.smtp.username'])
  assert.deepEqual(mailFields({ username: 'u', passwordRef: { name: 's', namespace: 'n' } }), [
    'spec.smtp.passwordRef.key',
  ])
  assert.deepEqual(mailFields({ host: 'https://a' }), ['spec.smtp.host'])
  assert.deepEqual(mailFields({ certificateAuthority: 'no' }), ['spec.smtp.certificateAuthority'])
})

test('one at most is the default, but for those that are switched off', () => {
  const other = (rest: object): MailProvider => ({ ...mail({}, rest), metadata: { name: 'other' } })
  const first = mail({}, { default: true })
  assert.equal(defaultTaken(first, [first, other({ default: true })]).length, 1)
  assert.equal(defaultTaken(first, [first, other({ default: true, disabled: true })]).length, 0)
  assert.equal(defaultTaken(mail(), [other({ default: true })]).length, 0)
})

test('a password goes where the same block says', () => {
  const old = mail({ username: 'u', passwordRef })
  assert.deepEqual(mailSecretsPutToUse(old, undefined), [{ field: 'spec.smtp.passwordRef', ref: passwordRef }])
  assert.deepEqual(mailSecretsPutToUse(mail({ username: 'u', passwordRef }, { displayName: 'x' }), old), [])
  assert.equal(mailSecretsPutToUse(mail({ username: 'u', passwordRef, host: 'thief' }), old).length, 1)
})
