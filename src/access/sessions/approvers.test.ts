import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Person } from '../people/contract.ts'
import { denialReasonOf, mayApprove } from './approvers.ts'
import type { Escalation, Session } from './contract.ts'
import { aCluster, anEscalation, aPerson, aSession, dev, facts, lead } from './testing/builders.ts'

interface Case {
  person?: Person
  escalation?: Partial<EscalationSpec>
  cluster?: Partial<ClusterConfig['spec']>
  session?: Session
  escalations?: Escalation[]
}

function ask({ person = lead, escalation = {}, cluster = {}, session = aSession(), escalations }: Case): string {
  const given = { escalations: escalations ?? [anEscalation(escalation)], clusters: [aCluster(cluster)] }
  const verdict = mayApprove(session, person, facts(0, given))
  if (verdict.allowed) return 'allowed'
  assert.equal(denialReasonOf(verdict.failure), verdict.denialReason)
  assert.equal(verdict.failure.status, 403)
  return verdict.denialReason
}

describe('who may decide on a session', () => {
  const self = { approvers: { users: ['dev@example.com'] } }
  const group = { approvers: { groups: ['leads'] } }
  const cases: [name: string, given: Case, verdict: string][] = [
    ['an approver by name', {}, 'allowed'],
    ['nobody else', { person: aPerson('somebody') }, 'NOT_AN_APPROVER'],
    [
      'not by a user name that is like the address of one',
      { person: aPerson('m', { username: lead.email ?? '' }) },
      'NOT_AN_APPROVER',
    ],
    ['not in another case, by name', { person: { ...lead, email: 'Lead@example.com' } }, 'NOT_AN_APPROVER'],
    ['whoever asked, where nothing forbids it', { person: dev, escalation: self }, 'allowed'],
    [
      'not whoever asked, where the cluster forbids it',
      { person: dev, escalation: self, cluster: { blockSelfApproval: true } },
      'SELF_APPROVAL_BLOCKED',
    ],
    [
      'whoever asked, where the escalation overrules the cluster',
      { person: dev, escalation: { ...self, blockSelfApproval: false }, cluster: { blockSelfApproval: true } },
      'allowed',
    ],
    [
      'not whoever asked, where the escalation overrules the cluster',
      { person: dev, escalation: { ...self, blockSelfApproval: true }, cluster: { blockSelfApproval: false } },
      'SELF_APPROVAL_BLOCKED',
    ],
    [
      'not whoever asked, where several are needed',
      { person: dev, escalation: { ...self, minApprovals: 2 } },
      'SELF_APPROVAL_BLOCKED',
    ],
    ['of the right domain', { escalation: { allowedApproverDomains: ['EXAMPLE.com'] } }, 'allowed'],
    [
      'not of a domain that ends alike',
      { person: aPerson('x', { email: 'x@evilexample.com' }), escalation: { allowedApproverDomains: ['example.com'] } },
      'DOMAIN_NOT_ALLOWED',
    ],
    [
      'not of a domain below',
      { person: aPerson('x', { email: 'x@sub.example.com' }), escalation: { allowedApproverDomains: ['example.com'] } },
      'DOMAIN_NOT_ALLOWED',
    ],
    [
      'not without an address where domains are named',
      { person: (({ email: _email, ...rest }) => rest)(lead), cluster: { allowedApproverDomains: ['example.com'] } },
      'DOMAIN_NOT_ALLOWED',
    ],
    [
      'of a domain of the escalation, whatever the cluster says',
      { escalation: { allowedApproverDomains: ['example.com'] }, cluster: { allowedApproverDomains: ['corp.de'] } },
      'allowed',
    ],
    ['of the right identity provider', { escalation: { allowedIdentityProvidersForApprovers: ['main'] } }, 'allowed'],
    ['not of another identity provider', { escalation: { allowedIdentityProviders: ['b'] } }, 'IDP_NOT_ALLOWED'],
    ['by a group of their token', { person: aPerson('x', { groups: ['leads'] }), escalation: group }, 'allowed'],
    [
      'not by a group that only begins alike',
      { person: aPerson('x', { groups: ['leads-2'] }), escalation: group },
      'NOT_AN_APPROVER',
    ],
  ]
  for (const [name, given, verdict] of cases) test(name, () => assert.equal(ask(given), verdict))

  test('of a group whose members are known only they count, in any case', () => {
    const known = anEscalation(group)
    known.status = { ...known.status, approverGroupMembers: { leads: ['Lead@Example.com'] } }
    assert.equal(ask({ escalations: [known] }), 'allowed')
    assert.equal(ask({ person: aPerson('x', { groups: ['leads'] }), escalations: [known] }), 'NOT_AN_APPROVER')
  })

  test('a member counts as a user of the provider that said so, and of no other', () => {
    const known = anEscalation(group)
    const leads = { leads: ['lead@example.com'] }
    known.status = { ...known.status, approverGroupMembers: leads, idpGroupMemberships: { main: leads, b: {} } }
    assert.equal(ask({ escalations: [known] }), 'allowed')
    for (const identityProvider of ['b', 'partner', 'constructor'])
      assert.equal(ask({ person: { ...lead, identityProvider }, escalations: [known] }), 'NOT_AN_APPROVER')
  })

  test('whoever a session is for, or made it by hand, does not approve it, whatever is allowed otherwise', () => {
    const { requestedBy: _none, ...spec } = aSession().spec
    const metadata = { ...aSession().metadata, annotations: { 'lanyard.io/created-by': 'oidc:lead@example.com' } }
    const byHand = { ...aSession(), metadata, spec: { ...spec, user: 'oidc:dev@example.com' } }
    assert.equal(ask({ person: dev, escalation: self, session: byHand }), 'SELF_APPROVAL_BLOCKED')
    assert.equal(ask({ session: byHand }), 'SELF_APPROVAL_BLOCKED')
    assert.equal(ask({ person: aPerson('other'), session: byHand }), 'allowed')
  })

  test('a session without an owner is decided on by the escalation that it names', () => {
    const session = aSession(undefined, { escalation: 'to-ops' })
    delete session.metadata.ownerReferences
    const lax = anEscalation({ approvers: { users: ['x@example.com'] } }, 'lax')
    assert.equal(ask({ session, escalations: [anEscalation(), lax] }), 'allowed')
    assert.equal(ask({ session, person: aPerson('x'), escalations: [anEscalation(), lax] }), 'NOT_AN_APPROVER')
    assert.equal(ask({ session, escalations: [lax] }), 'NO_MATCHING_ESCALATION')
  })

  test('prefixes of groups are looked past', () => {
    const prefixed = [anEscalation({ approvers: { groups: ['oidc:leads'] } })]
    const person = aPerson('x', { groups: ['leads'] })
    assert.equal(mayApprove(aSession(), person, facts(0, { escalations: prefixed })).allowed, false)
    const given = facts(0, { escalations: prefixed, oidcPrefixes: ['oidc:'] })
    assert.equal(mayApprove(aSession(), person, given).allowed, true)
  })

  test('only the escalation that owns the session has a say', () => {
    const others = [anEscalation({}, 'another')]
    assert.equal(ask({ escalations: others }), 'NO_MATCHING_ESCALATION')
    const ownerless = aSession()
    delete ownerless.metadata.ownerReferences
    assert.equal(ask({ escalations: others, session: ownerless }), 'allowed')
    const elsewhere = [anEscalation({ allowed: { clusters: ['test'] } }), anEscalation({ escalatedGroup: 'admins' })]
    assert.equal(ask({ escalations: elsewhere, session: ownerless }), 'NO_MATCHING_ESCALATION')
  })

  test('of several escalations the weightiest refusal is told, a provider only where none takes it', () => {
    const session = aSession()
    delete session.metadata.ownerReferences
    const person = aPerson('x')
    const abroad = anEscalation({ allowedIdentityProviders: ['b'] }, 'a')
    const narrow = anEscalation({ allowedApproverDomains: ['corp.de'] }, 'b')
    assert.equal(ask({ session, person, escalations: [abroad] }), 'IDP_NOT_ALLOWED')
    assert.equal(ask({ session, person, escalations: [abroad, anEscalation({}, 'c')] }), 'NOT_AN_APPROVER')
    assert.equal(ask({ session, person, escalations: [abroad, narrow] }), 'DOMAIN_NOT_ALLOWED')
  })

  test('nobody decides where two clusters have one name', () => {
    const verdict = mayApprove(aSession(), lead, facts(0, { clusters: [aCluster(), aCluster()] }))
    assert.equal(!verdict.allowed && verdict.denialReason, 'CLUSTER_APPROVAL_POLICY_AMBIGUOUS')
  })
})
