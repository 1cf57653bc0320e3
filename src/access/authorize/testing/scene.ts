import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { BreakglassEscalation } from '../../../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession } from '../../../apis/breakglass/breakglass-session.ts'
import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import type { DenyPolicy } from '../../../apis/breakglass/deny-policy.ts'
import type { IdentityProvider } from '../../../apis/breakglass/identity-provider.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { providerAnnotations } from '../../../fleet/names.ts'
import type { SpokeView } from '../../../fleet/spoke/index.ts'
import { compilePolicies } from '../../policies/compile.ts'
import type { PolicyFacts, PolicySet } from '../../policies/contract.ts'
import type { AccessSettings } from '../../settings.ts'
import { defaultAccessSettings } from '../../settings.ts'
import type { AccessView } from '../../view.ts'
import { userKey } from '../../view.ts'
import { createAuthorizer } from '../authorizer.ts'
import type { Asked, Review } from '../contract.ts'
import { HeldObjects } from './held-objects.ts'

export const start = new Date('2026-03-01T12:00:00Z')
export const at = (seconds: number): string => new Date(start.getTime() + seconds * 1_000).toISOString()

export const reading = (user: string, more: Partial<Asked> = {}): Asked => ({
  user,
  groups: ['system:authenticated'],
  verb: 'get',
  resource: { group: '', version: 'v1', resource: 'secrets', subresource: '', namespace: 'shop', name: 'db' },
  ...more,
})

/** Runs, and goes on for an hour. */
export const aSession = (
  name: string,
  spec: Partial<BreakglassSession['spec']> = {},
  status: BreakglassSession['status'] = {},
): BreakglassSession => ({
  metadata: { namespace: 'people', name },
  spec: { cluster: 'west', user: 'dev@example.com', grantedGroup: 'admins', ...spec },
  status: {
    ...{ state: 'Approved', approvedAt: at(0), actualStartTime: at(0), expiresAt: at(3_600) },
    approvals: [{ approver: 'lead@example.com', at: at(0) }],
    ...status,
  },
})

/** An authorizer among objects that are put before it, with a cluster that answers as it is told. */
export function authorizerScene(settings: Partial<AccessSettings> = {}) {
  const clock = new FakeClock(start)
  const current = { ...defaultAccessSettings, ...settings }
  const sessions = new HeldObjects<BreakglassSession, 'name' | 'user' | 'slot' | 'cluster' | 'escalation'>(
    {
      name: ({ metadata }) => [metadata.name],
      user: ({ spec }) => [userKey(spec.cluster, spec.user)],
      slot: () => [],
      cluster: ({ spec }) => [spec.cluster],
      escalation: () => [],
    },
    () => clock.now(),
  )
  const escalations = new HeldObjects<BreakglassEscalation, 'name' | 'group'>({ name: () => [], group: () => [] })
  const policies = new HeldObjects<DenyPolicy>({}, () => clock.now())
  const configs = new HeldObjects<ClusterConfig, 'name' | 'secret' | 'provider'>(
    {
      name: ({ metadata }) => [metadata.name],
      secret: () => [],
      provider: () => [],
    },
    () => clock.now(),
  )
  const providers = new HeldObjects<IdentityProvider, 'secret'>({ secret: () => [] })
  const tokens = new HeldObjects({}, () => clock.now())
  const lastUsed = new Map<string, Date>()
  const asked: { cluster: string; groups: readonly string[] }[] = []
  const used: string[] = []
  const scene = {
    clock,
    settings: current as { -readonly [K in keyof AccessSettings]: AccessSettings[K] },
    ...{ sessions, escalations, policies, configs, providers, tokens, lastUsed, asked, used },
    hubUsers: new Map<string, string>(),
    /** Undefined: policies cannot be read. Null: as they are in `policies`. */
    set: null as PolicySet | undefined | null,
    answer: (_cluster: string, _groups: readonly string[], _asked: Asked): Review | Promise<Review> => ({
      answer: 'allowed',
    }),
    facts: {
      namespaceLabels: async () => ({}),
      pod: async () => undefined,
      isNamespaced: async () => undefined,
    } as PolicyFacts,
  }
  let compiled: PolicySet | undefined
  policies.on(() => {
    compiled = undefined
  })
  const authorizer = createAuthorizer({
    clock,
    tokens,
    metrics: noMetrics,
    settings: () => current,
    view: { run: async () => {}, sessions, escalations, policies } satisfies AccessView,
    spokeView: { configs, providers } as unknown as SpokeView,
    policies: {
      current() {
        compiled ??= compilePolicies(policies.list())
        return scene.set === null ? compiled : scene.set
      },
      factsOf: () => ({
        namespaceLabels: (namespace, signal) => scene.facts.namespaceLabels(namespace, signal),
        pod: (namespace, name, signal) => scene.facts.pod(namespace, name, signal),
        isNamespaced: (group, resource, signal) => scene.facts.isNamespaced(group, resource, signal),
      }),
    },
    reviews: {
      ask(cluster, groups, question) {
        asked.push({ cluster, groups })
        return scene.answer(cluster, groups, question)
      },
      aside: {
        ask(cluster, groups, question) {
          asked.push({ cluster, groups })
          return scene.answer(cluster, groups, question)
        },
      },
      isHubUser: (cluster, user) => scene.hubUsers.get(cluster) === user,
      open: async () => {},
    },
    activity: {
      used(session, when) {
        used.push(session.name)
        lastUsed.set(session.name, when)
      },
      lastUsed: ({ name }) => lastUsed.get(name),
    },
  })
  const cluster = (name: string, spec: Partial<ClusterConfig['spec']> = {}, namespace = 'people') =>
    configs.put({ metadata: { namespace, name, generation: 1 }, spec })
  const provider = (name: string, issuer: string, displayName?: string, prefix?: string) =>
    providers.put({
      metadata: { name, ...(prefix !== undefined && { annotations: { [providerAnnotations.groupsPrefix]: prefix } }) },
      spec: { oidc: { authority: issuer, clientID: 'c' }, ...(displayName !== undefined && { displayName }) },
    })
  const escalation = (name: string, spec: Partial<BreakglassEscalation['spec']> = {}) =>
    escalations.put({
      metadata: { namespace: 'people', name },
      spec: { escalatedGroup: 'admins', allowed: { clusters: ['west'], groups: ['devs'] }, ...spec },
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: at(0) }],
      },
    })
  return Object.assign(scene, { authorizer, cluster, provider, escalation })
}
export type AuthorizerScene = ReturnType<typeof authorizerScene>
