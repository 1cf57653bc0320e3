/** What sessions are decided on, as tests want it. */
import type { EscalationSpec } from '../../../apis/breakglass/breakglass-escalation.ts'
import type { SessionSpec, SessionStatus } from '../../../apis/breakglass/breakglass-session.ts'
import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Person } from '../../people/contract.ts'
import type { ActionFacts, Escalation, RequestFacts, Session } from '../contract.ts'

/** When everything here begins. */
export const start = new Date('2026-03-01T12:00:00Z')
export const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000)
export const text = (seconds: number): string => at(seconds).toISOString().replace('.000', '')

const metadata = (name: string, namespace = 'access') => ({
  ...{ name, namespace, uid: `uid-of-${name}`, resourceVersion: '1', generation: 1 },
  creationTimestamp: text(0),
})
const ready = {
  conditions: [{ type: 'Ready', status: 'True' as const, reason: 'R', message: '', lastTransitionTime: text(0) }],
}

export const aPerson = (name: string, more: Partial<Person> = {}): Person => ({
  email: `${name}@example.com`,
  username: name,
  subject: `id-of-${name}`,
  groups: [],
  identityProvider: 'main',
  issuer: 'https://issuer.example.com',
  ...more,
})
export const dev = aPerson('dev', { groups: ['devs'] })
export const lead = aPerson('lead')
export const other = aPerson('other')

export const anEscalation = (spec: Partial<EscalationSpec> = {}, name = 'to-ops'): Escalation => ({
  metadata: metadata(name),
  spec: {
    escalatedGroup: 'ops',
    allowed: { clusters: ['prod'], groups: ['devs'] },
    approvers: { users: ['lead@example.com', 'other@example.com'] },
    maxValidFor: '4h',
    ...spec,
  },
  status: ready,
})

export const aCluster = (spec: Partial<ClusterConfig['spec']> = {}, name = 'prod'): Stored<ClusterConfig> => ({
  metadata: metadata(name),
  spec,
  status: ready,
})

/** Under the escalation of `anEscalation`, asked for by `dev`. Without a status: as it is just made. */
export const aSession = (status?: SessionStatus, spec: Partial<SessionSpec> = {}): Session => ({
  metadata: {
    ...metadata('prod-ops-1'),
    ownerReferences: [
      { apiVersion: 'v1', kind: 'BreakglassEscalation', name: 'to-ops', uid: 'uid-of-to-ops', controller: true },
    ],
  },
  spec: {
    cluster: 'prod',
    user: 'dev@example.com',
    grantedGroup: 'ops',
    requestedBy: { email: 'dev@example.com', username: 'dev', subject: 'id-of-dev' },
    identityProviderIssuer: dev.issuer,
    maxValidFor: '1h',
    retainFor: '720h',
    ...spec,
  },
  ...(status && { status }),
})

export const facts = (seconds: number, more: Partial<ActionFacts> = {}): ActionFacts => ({
  escalations: [anEscalation()],
  clusters: [aCluster()],
  now: at(seconds),
  ...more,
})

export const requestFacts = (more: Partial<RequestFacts> = {}): RequestFacts => ({
  person: dev,
  clusters: [aCluster()],
  escalations: [anEscalation()],
  provider: undefined,
  sessions: [],
  under: () => [],
  ...more,
})
