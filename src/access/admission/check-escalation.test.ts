import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import { defaultAccessSettings } from '../settings.ts'
import { escalationMistakes, escalationNameTaken } from './check-escalation.ts'

const good: EscalationSpec = {
  escalatedGroup: 'cluster-admin',
  allowed: { clusters: ['tenant-prod-cluster'], groups: ['emergency-responders'] },
  approvers: { users: ['admin@example.com'] },
}
const fieldsOf = (changes: Partial<EscalationSpec> = {}, settings = defaultAccessSettings) =>
  escalationMistakes({ metadata: { name: 'a' }, spec: { ...good, ...changes } }, settings).map(({ field }) => field)

test('what the description shows is right, and so is all that may be left out', () => {
  assert.deepEqual(fieldsOf(), [])
  assert.deepEqual(fieldsOf({ allowed: {}, maxValidFor: '30m', approvalTimeout: '1h' }), [])
  assert.deepEqual(fieldsOf({ allowed: { clusters: ['*', 'prod-*', '*.eu'] }, clusterConfigRefs: ['a'] }), [])
})

test('a group to grant and somebody who approves are needed', () => {
  const { escalatedGroup: _, ...without } = good
  const mistakes = escalationMistakes({ spec: without }, defaultAccessSettings)
  assert.deepEqual(
    mistakes.map(({ field }) => field),
    ['spec.escalatedGroup'],
  )
  assert.deepEqual(fieldsOf({ approvers: {} }), ['spec.approvers'])
  assert.deepEqual(fieldsOf({ approvers: { users: ['a@b.c', ''], groups: [' x'] } }), [
    'spec.approvers.users[1]',
    'spec.approvers.groups[0]',
  ])
})

test('patterns of clusters are names with stars, and no regular expressions', () => {
  for (const bad of ['Prod', 'a b', '', 'a?', '[ab]', 'prod-', '.*|x']) {
    assert.deepEqual(fieldsOf({ allowed: { clusters: [bad] } }), ['spec.allowed.clusters[0]'], bad)
    assert.deepEqual(fieldsOf({ clusterConfigRefs: [bad] }), ['spec.clusterConfigRefs[0]'], bad)
  }
})

test('A79a: as many must be able to approve as have to', () => {
  assert.deepEqual(fieldsOf({ minApprovals: 2 }), ['spec.minApprovals'])
  assert.deepEqual(fieldsOf({ minApprovals: 2, approvers: { users: ['a@b.c', 'A@B.C'] } }), ['spec.minApprovals'])
  assert.deepEqual(fieldsOf({ minApprovals: 2, approvers: { users: ['a@b.c', 'd@b.c'] } }), [])
  assert.deepEqual(fieldsOf({ minApprovals: 5, approvers: { groups: ['leads'] } }), [])
})

test('who must not approve their own asks for others who can, and not for those who got the same rights', () => {
  assert.deepEqual(fieldsOf({ blockSelfApproval: true }), ['spec.approvers.groups'])
  assert.deepEqual(fieldsOf({ blockSelfApproval: true, approvers: { groups: ['leads'] } }), [])
  for (const approvers of [{ groups: ['cluster-admin'] }, { groups: ['leads'], hiddenFromUI: ['cluster-admin'] }])
    assert.deepEqual(fieldsOf({ blockSelfApproval: true, approvers }), ['spec.escalatedGroup'])
  assert.deepEqual(fieldsOf({ blockSelfApproval: false, approvers: { groups: ['cluster-admin'] } }), [])
})

test('identity providers are listed for both, or for each', () => {
  const [a, requests, approvers] = [
    { allowedIdentityProviders: ['a'] },
    { allowedIdentityProvidersForRequests: ['a'] },
    { allowedIdentityProvidersForApprovers: ['a'] },
  ]
  assert.deepEqual(fieldsOf(a), [])
  assert.deepEqual(fieldsOf({ ...requests, ...approvers }), [])
  assert.deepEqual(fieldsOf(requests), ['spec.allowedIdentityProvidersForApprovers'])
  assert.deepEqual(fieldsOf(approvers), ['spec.allowedIdentityProvidersForRequests'])
  assert.deepEqual(fieldsOf({ ...a, ...requests, ...approvers }), ['spec.allowedIdentityProviders'])
})

test('durations are longer than nothing and fit each other', () => {
  for (const field of ['maxValidFor', 'idleTimeout', 'approvalTimeout', 'retainFor'] as const)
    assert.deepEqual(fieldsOf({ [field]: '0s' }), [`spec.${field}`])
  assert.deepEqual(fieldsOf({ emergencyBypass: { enabled: true, reviewWithin: '0h' } }), [
    'spec.emergencyBypass.reviewWithin',
  ])
  assert.deepEqual(fieldsOf({ approvalTimeout: '2h' }), ['spec.approvalTimeout'])
  assert.deepEqual(fieldsOf({ approvalTimeout: '2h', maxValidFor: '1d' }), [])
  assert.deepEqual(fieldsOf({ idleTimeout: '61m' }), ['spec.idleTimeout'])
  assert.deepEqual(fieldsOf({ idleTimeout: '59s' }), ['spec.idleTimeout'])
  assert.deepEqual(fieldsOf({ idleTimeout: '1m' }), [])
})

test('an idle timeout is at least four times what an API server remembers', () => {
  const slow = { ...defaultAccessSettings, authorizedTtlMs: 30_000 }
  assert.deepEqual(fieldsOf({ idleTimeout: '119s' }, slow), ['spec.idleTimeout'])
  assert.deepEqual(fieldsOf({ idleTimeout: '2m' }, slow), [])
})

test('domains, policies and limits', () => {
  assert.deepEqual(fieldsOf({ allowedApproverDomains: ['@corp.de'] }), ['spec.allowedApproverDomains[0]'])
  assert.deepEqual(fieldsOf({ denyPolicyRefs: ['ok', 'Not'] }), ['spec.denyPolicyRefs[1]'])
  assert.deepEqual(fieldsOf({ sessionLimitsOverride: { unlimited: true, maxActiveSessionsTotal: 1 } }), [
    'spec.sessionLimitsOverride.unlimited',
  ])
  assert.deepEqual(fieldsOf({ emergencyBypass: { enabled: true }, disableNotifications: true }), [
    'spec.disableNotifications',
  ])
})

test('a name is taken by the same name in another namespace', () => {
  const others = [{ metadata: { name: 'a', namespace: 'x' } }]
  assert.equal(escalationNameTaken({ name: 'a', namespace: 'y' }, others).length, 1)
  assert.equal(escalationNameTaken({ name: 'a', namespace: 'x' }, others).length, 0)
  assert.equal(escalationNameTaken({ name: 'b', namespace: 'y' }, others).length, 0)
})
