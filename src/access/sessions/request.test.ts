import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Stored } from '../../kube/objects.ts'
import { sessionLabels } from '../names.ts'
import type { Person } from '../people/contract.ts'
import type { RequestFacts, Session, Wish } from './contract.ts'
import { draftOf, whyNotNow } from './draft.ts'
import { permit } from './request.ts'
import { slotOf } from './slot.ts'
import { isLive } from './standing.ts'
import { aCluster, anEscalation, aSession, dev, requestFacts, start, text } from './testing/builders.ts'

const settings = { userIdentifierClaim: 'email', oidcPrefixes: ['oidc:'] } as const
const wish: Wish = { cluster: 'prod', group: 'ops' }
const live = (session: Session) => isLive(session, start)

interface Case {
  wish?: Partial<Wish>
  facts?: Partial<RequestFacts>
  escalation?: Partial<EscalationSpec>
  cluster?: Partial<ClusterConfig['spec']>
  person?: Partial<Person>
}

/** The code of the refusal, or as whom it may be asked for. */
function ask(given: Case): string {
  const facts = requestFacts({
    escalations: [anEscalation(given.escalation)],
    clusters: [aCluster(given.cluster)],
    person: { ...dev, ...given.person },
    ...given.facts,
  })
  const asked = { ...wish, ...given.wish }
  const permitted = permit(asked, facts, settings)
  if ('refused' in permitted) return `${permitted.refused.status} ${permitted.refused.code}`
  const wrong = whyNotNow(asked, permitted, facts, start, live)
  return wrong ? `${wrong.status} ${wrong.code}` : permitted.user
}
const without = (...claims: (keyof Person)[]): Person =>
  Object.fromEntries(
    Object.entries(dev).filter(([claim]) => !claims.includes(claim as keyof Person)),
  ) as unknown as Person
const notReady = { status: { conditions: [] } }
const bypass = { emergencyBypass: { enabled: true } }
const overdue = aSession({ state: 'Expired', review: { dueAt: text(-1) } })

describe('what may be asked for', () => {
  const cases: [name: string, given: Case, outcome: string][] = [
    ['what an escalation lets members of a group have', {}, 'dev@example.com'],
    ['under another name of the caller, in any case', { wish: { user: 'DEV' } }, 'dev@example.com'],
    ['not for somebody else', { wish: { user: 'lead@example.com' } }, '403 ACCESS_OTHER_USER'],
    ['not by nobody', { facts: { person: without('email', 'username', 'subject') } }, '401 ACCESS_NO_IDENTITY'],
    ['not without a cluster', { wish: { cluster: '' } }, '422 ACCESS_FIELD_MISSING'],
    ['not without a group', { wish: { group: '' } }, '422 ACCESS_FIELD_MISSING'],
    ['with a reason of 500 characters', { wish: { reason: '🔥'.repeat(500) } }, 'dev@example.com'],
    ['not with a longer one', { wish: { reason: 'x'.repeat(501) } }, '422 ACCESS_REASON_TOO_LONG'],
    ['not by members of other groups', { person: { groups: ['devs-2'] } }, '403 ACCESS_NO_ESCALATION'],
    [
      'with a prefix of groups on either side',
      { escalation: { allowed: { clusters: ['prod'], groups: ['oidc:devs'] } } },
      'dev@example.com',
    ],
    [
      'by everybody where the escalation says so',
      { person: { groups: [] }, escalation: { allowed: { clusters: ['prod'], groups: ['system:authenticated'] } } },
      'dev@example.com',
    ],
    ['on clusters by pattern', { escalation: { allowed: { clusters: ['pr*'], groups: ['devs'] } } }, 'dev@example.com'],
    [
      'on clusters by reference',
      { escalation: { allowed: { groups: ['devs'] }, clusterConfigRefs: ['prod'] } },
      'dev@example.com',
    ],
    [
      'not on clusters that are not named',
      { escalation: { allowed: { groups: ['devs'] } } },
      '403 ACCESS_NO_ESCALATION',
    ],
    ['not for another group', { wish: { group: 'admins' } }, '403 ACCESS_NO_ESCALATION'],
    [
      'not under an escalation that is not Ready',
      { facts: { escalations: [{ ...anEscalation(), ...notReady }] } },
      '403 ACCESS_ESCALATION_NOT_READY',
    ],
    ['not on a cluster that is not there', { facts: { clusters: [] } }, '403 ACCESS_CLUSTER_UNKNOWN'],
    [
      'not on a cluster that is not Ready',
      { facts: { clusters: [{ ...aCluster(), ...notReady }] } },
      '403 ACCESS_CLUSTER_NOT_READY',
    ],
    ['not where two have the name', { facts: { clusters: [aCluster(), aCluster()] } }, '403 ACCESS_CLUSTER_NOT_UNIQUE'],
    ['by users of a provider of the cluster', { cluster: { identityProviderRefs: ['main'] } }, 'dev@example.com'],
    ['not by those of another', { cluster: { identityProviderRefs: ['b'] } }, '403 ACCESS_PROVIDER_NOT_ALLOWED'],
    [
      'not by those the escalation does not take',
      { escalation: { allowedIdentityProvidersForRequests: ['b'] } },
      '403 ACCESS_PROVIDER_NOT_ALLOWED',
    ],
    [
      'not without a reason where it is mandatory',
      { wish: { reason: ' \n' }, escalation: { requestReason: { mandatory: true } } },
      '422 ACCESS_REASON_MISSING',
    ],
    ['as the claim that the cluster knows', { cluster: { userIdentifierClaim: 'sub' } }, 'id-of-dev'],
    [
      'not without that claim',
      { facts: { person: without('username') }, cluster: { userIdentifierClaim: 'preferred_username' } },
      '422 ACCESS_CLAIM_MISSING',
    ],
    ['for a minute', { wish: { seconds: 60 } }, 'dev@example.com'],
    ['not for less', { wish: { seconds: 59 } }, '422 ACCESS_TOO_SHORT'],
    ['not for no number', { wish: { seconds: Number.NaN } }, '422 ACCESS_TOO_SHORT'],
    ['for as long as the escalation gives', { wish: { seconds: 4 * 3_600 } }, 'dev@example.com'],
    ['not for longer', { wish: { seconds: 4 * 3_600 + 1 } }, '422 ACCESS_TOO_LONG'],
    ['for later', { wish: { scheduledStartTime: text(300) } }, 'dev@example.com'],
    ['not for too soon', { wish: { scheduledStartTime: text(299) } }, '422 ACCESS_BAD_START'],
    ['not for no time', { wish: { scheduledStartTime: 'tomorrow' } }, '422 ACCESS_BAD_START'],
    [
      'not for a time without its zone',
      { wish: { scheduledStartTime: '2027-01-01T00:00:00' } },
      '422 ACCESS_BAD_START',
    ],
    [
      'in an emergency, with a reason',
      { wish: { emergency: true, reason: 'fire' }, escalation: bypass },
      'dev@example.com',
    ],
    ['in an emergency not without one', { wish: { emergency: true }, escalation: bypass }, '422 ACCESS_REASON_MISSING'],
    [
      'in an emergency not where that is not provided',
      { wish: { emergency: true, reason: 'fire' } },
      '403 ACCESS_EMERGENCY_OFF',
    ],
    [
      'in an emergency not for later',
      { wish: { emergency: true, reason: 'fire', scheduledStartTime: text(900) }, escalation: bypass },
      '422 ACCESS_EMERGENCY_SCHEDULED',
    ],
    [
      'in an emergency not while an older one waits for its review',
      { wish: { emergency: true, reason: 'fire' }, escalation: bypass, facts: { sessions: [overdue] } },
      '422 ACCESS_REVIEW_OVERDUE',
    ],
    ['in the usual way also then', { facts: { sessions: [overdue] } }, 'dev@example.com'],
  ]
  for (const [name, given, outcome] of cases) test(name, () => assert.equal(ask(given), outcome))
})

describe('how many one may have', () => {
  const provider = (sessionLimits: object) =>
    ({ metadata: {}, spec: { sessionLimits } }) as unknown as Stored<IdentityProvider>
  const running = aSession({ state: 'Approved', expiresAt: text(60) })
  const ended = aSession({ state: 'Approved', expiresAt: text(-1) })
  const full = '422 ACCESS_TOO_MANY'
  const mine = (count: number) => ({ sessions: [ended, ...Array.from({ length: count }, () => running)] })
  const one = provider({ maxActiveSessionsPerUser: 1 })
  const byGroup = provider({
    maxActiveSessionsPerUser: 1,
    groupOverrides: [
      { group: 'ops*', unlimited: true },
      { group: 'dev*', maxActiveSessionsPerUser: 2 },
      { group: '*', maxActiveSessionsPerUser: 9 },
    ],
  })
  const cases: [name: string, given: Case, outcome: string][] = [
    ['as many as they like where nobody says', { facts: mine(50) }, 'dev@example.com'],
    [
      'as many as the identity provider says; what is over does not count',
      { facts: { ...mine(0), provider: one } },
      'dev@example.com',
    ],
    ['not more', { facts: { ...mine(1), provider: one } }, full],
    [
      'as many as the first override for a group of theirs says',
      { facts: { ...mine(1), provider: byGroup } },
      'dev@example.com',
    ],
    ['and not more', { facts: { ...mine(2), provider: byGroup } }, full],
    [
      'as many as they like by an override',
      { facts: { ...mine(9), provider: byGroup }, person: { groups: ['devs', 'ops-1'] } },
      'dev@example.com',
    ],
    [
      'what the escalation says goes first',
      { facts: { ...mine(1), provider: one }, escalation: { sessionLimitsOverride: { maxActiveSessionsPerUser: 2 } } },
      'dev@example.com',
    ],
    [
      'also where it says less',
      {
        facts: { ...mine(1), provider: byGroup },
        escalation: { sessionLimitsOverride: { maxActiveSessionsPerUser: 1 } },
      },
      full,
    ],
    [
      'no limit by the escalation lifts that of the provider',
      { facts: { ...mine(1), provider: one }, escalation: { sessionLimitsOverride: { unlimited: true } } },
      'dev@example.com',
    ],
    [
      'all users of an escalation together',
      {
        facts: { under: () => [running, ended] },
        escalation: { sessionLimitsOverride: { maxActiveSessionsTotal: 2 } },
      },
      'dev@example.com',
    ],
    [
      'all of them not more',
      {
        facts: { under: () => [running, running] },
        escalation: { sessionLimitsOverride: { maxActiveSessionsTotal: 2 } },
      },
      full,
    ],
    [
      'a total leaves the limit of the provider',
      { facts: { ...mine(1), provider: one }, escalation: { sessionLimitsOverride: { maxActiveSessionsTotal: 9 } } },
      full,
    ],
  ]
  for (const [name, given, outcome] of cases) test(name, () => assert.equal(ask(given), outcome))
})

test('a session keeps what its escalation said when it was asked for', () => {
  const escalation = anEscalation({
    ...{ idleTimeout: '10m', retainFor: '48h', minApprovals: 2, denyPolicyRefs: ['no-secrets'] },
    ...{ requestReason: { mandatory: true }, approvalReason: { description: 'which ticket' } },
  })
  const permitted = { escalation, cluster: aCluster(), user: 'dev@example.com' }
  const asked = {
    ...wish,
    seconds: 5_400,
    reason: 'see https://t/1#2 <b>',
    scheduledStartTime: '2026-03-01T14:00:00+01:00',
  }
  const { metadata, spec } = draftOf(asked, permitted, requestFacts(), 2)
  assert.equal(metadata?.namespace, 'access')
  const slot = slotOf({ cluster: 'prod', user: 'dev@example.com', grantedGroup: 'ops' })
  assert.equal(metadata?.name, `prod-ops-${slot}-2`)
  assert.equal(metadata?.labels?.[sessionLabels.slot], slot)
  assert.deepEqual(metadata?.ownerReferences, [
    {
      apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1',
      kind: 'BreakglassEscalation',
      name: 'to-ops',
      uid: 'uid-of-to-ops',
      controller: true,
    },
  ])
  assert.deepEqual(spec, {
    cluster: 'prod',
    user: 'dev@example.com',
    grantedGroup: 'ops',
    clusterConfigRef: 'prod',
    escalation: 'to-ops',
    requestedBy: { email: 'dev@example.com', username: 'dev', subject: 'id-of-dev' },
    requestReason: 'see https://t/1#2 <b>',
    scheduledStartTime: '2026-03-01T13:00:00Z',
    maxValidFor: '1h30m',
    idleTimeout: '10m',
    retainFor: '48h',
    minApprovals: 2,
    identityProviderName: 'main',
    identityProviderIssuer: 'https://issuer.example.com',
    denyPolicyRefs: ['no-secrets'],
    requestReasonConfig: { mandatory: true },
    approvalReasonConfig: { description: 'which ticket' },
  })
})

test('of several escalations the first by name is asked under, in an emergency the first that provides for it', () => {
  const escalations = [anEscalation(bypass, 'b'), anEscalation({}, 'a'), anEscalation({}, 'c')]
  const under = (more: Partial<Wish>) => {
    const permitted = permit({ ...wish, ...more }, requestFacts({ escalations }), settings)
    return 'escalation' in permitted && permitted.escalation.metadata.name
  }
  assert.equal(under({}), 'a')
  assert.equal(under({ emergency: true, reason: 'fire' }), 'b')
})
