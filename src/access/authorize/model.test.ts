import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Asked, Review } from './contract.ts'
import type { ModelPolicy, ModelQuestion, ModelSession, ModelWorld } from './testing/model.ts'
import { modelVerdict } from './testing/model.ts'
import type { AuthorizerScene } from './testing/scene.ts'
import { authorizerScene, start } from './testing/scene.ts'

const clusters = ['west', 'west', 'west', 'east', 'nowhere']
const users = ['ann', 'ann', 'ann', 'ann', 'bob', 'hub', 'system:node:a']
const groups = ['admins', 'viewers']
const issuers = { p: 'https://p.example.com', q: 'https://q.example.com' }
const verbs = ['get', 'delete']
const resources = ['secrets', 'pods']
const states = [
  'Approved',
  'Approved',
  'Approved',
  'Pending',
  'WaitingForScheduledTime',
  'Rejected',
  'Withdrawn',
  'Expired',
  '',
]
const names = ['s0', 's1', 's2', 's3', 's4']
const policyNames = ['d0', 'd1', 'd2']

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.nat({ max: 4 }).chain((n): fc.Arbitrary<T | undefined> => (n === 0 ? value : fc.constant(undefined)))
const minute = fc.integer({ min: -30, max: 30 }).map((minutes) => start.getTime() + minutes * 60_000)

const anySession = (name: string): fc.Arbitrary<ModelSession> =>
  fc.record({
    name: fc.constant(name),
    cluster: fc.constantFrom(...clusters),
    user: fc.constantFrom(...users),
    group: fc.constantFrom(...groups),
    state: fc.constantFrom(...states),
    approvals: fc.constantFrom(0, 1, 1, 2, 2, 2),
    minApprovals: rarely(fc.constantFrom(1, 2)),
    isBeingDeleted: fc.nat({ max: 19 }).map((n) => n === 0),
    expiresAt: fc.option(
      minute.map((ms) => ms + 1_200_000),
      { nil: undefined, freq: 9 },
    ),
    startedAt: minute,
    scheduledAt: rarely(minute),
    idleMs: maybe(fc.integer({ min: 1, max: 40 }).map((minutes) => minutes * 60_000)),
    lastActivity: maybe(minute),
    issuer: maybe(fc.constantFrom(...Object.values(issuers))),
    provider: maybe(fc.constantFrom(...Object.keys(issuers))),
    anyIssuer: fc.boolean(),
    policies: rarely(fc.constantFrom(...policyNames, 'missing')).map((name) => (name === undefined ? [] : [name])),
  })

/** Most of those above grant nothing to anybody who asks; of these, most do. */
const session = (name: string): fc.Arbitrary<ModelSession> =>
  fc.oneof(
    anySession(name),
    anySession(name).map((given) => ({
      ...given,
      ...{ cluster: 'west', user: 'ann', state: 'Approved', isBeingDeleted: false, scheduledAt: undefined },
      expiresAt: Math.max(given.expiresAt ?? 0, start.getTime() + 60_000),
      startedAt: start.getTime(),
      approvals: 2,
    })),
  )

const policy = (name: string): fc.Arbitrary<ModelPolicy> =>
  fc.record({
    name: fc.constant(name),
    clusters: maybe(fc.uniqueArray(fc.constantFrom(...clusters), { minLength: 1 })),
    sessions: fc.option(fc.subarray(names, { minLength: 1 }), { nil: undefined, freq: 4 }),
    verb: fc.constantFrom('*', ...verbs),
    resource: fc.constantFrom('*', ...resources),
  })

const facts = fc.record({
  providers: rarely(fc.subarray(Object.keys(issuers), { minLength: 1 })),
  isAway: fc.nat({ max: 4 }).map((n) => n === 0),
})

const allRights = ['west', 'east'].flatMap((cluster) =>
  ['', 'oidc:'].flatMap((prefix) =>
    groups.flatMap((group) =>
      verbs.flatMap((verb) => resources.map((resource) => `${cluster} ${prefix}${group} ${verb} ${resource}`)),
    ),
  ),
)

const world: fc.Arbitrary<ModelWorld> = fc.record({
  clusters: fc.record({ west: facts, east: facts }),
  issuers: fc.constantFrom(issuers, { p: issuers.p }),
  sessions: fc.tuple(...names.map(session)).chain((all) => fc.subarray(all)),
  policies: fc.tuple(...policyNames.map(policy)).chain((all) => fc.subarray(all, { maxLength: 1 })),
  canReadPolicies: fc.nat({ max: 9 }).map((n) => n > 0),
  onPolicyError: fc.constantFrom('deny' as const, 'noOpinion' as const),
  rights: fc.subarray(allRights, { minLength: allRights.length / 2 }),
  prefixes: fc.subarray(['oidc:']),
  ownPrefixes: fc.constantFrom({}, { p: 'oidc:' }, { p: 'oidc:', q: 'other:' }),
  hubUsers: fc.constantFrom({ west: 'hub' }, {}),
  lastUsed: fc.constant({}),
})

const question: fc.Arbitrary<ModelQuestion> = fc.record({
  cluster: fc.constantFrom('west', 'west', 'west', 'west', 'east', 'nowhere'),
  user: fc.constantFrom('ann', 'ann', 'ann', 'ann', 'bob', 'hub', 'system:node:a'),
  issuer: rarely(fc.constantFrom(...Object.values(issuers), 'https://nobody.example.com')),
  verb: fc.constantFrom(...verbs),
  resource: fc.constantFrom(...resources),
  scope: fc.constantFrom('all', 'all', 'policies'),
})

type Step =
  | { readonly do: 'ask'; readonly question: ModelQuestion; readonly later: boolean }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'put'; readonly session: ModelSession }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'policy'; readonly policy: ModelPolicy }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), question, later: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 900_000 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('put' as const), session: fc.constantFrom(...names).chain(session) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...names) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('policy' as const),
        policy: fc.constantFrom(...policyNames).chain(policy),
      }),
    },
  ),
  { minLength: 3, maxLength: 25 },
)

const iso = (ms: number): string => new Date(ms).toISOString()

function putSession(scene: AuthorizerScene, given: ModelSession): void {
  scene.sessions.put({
    metadata: { namespace: 'people', name: given.name, ...(given.isBeingDeleted && { deletionTimestamp: iso(0) }) },
    spec: {
      ...{ cluster: given.cluster, user: given.user, grantedGroup: given.group, denyPolicyRefs: given.policies },
      ...(given.scheduledAt !== undefined && { scheduledStartTime: iso(given.scheduledAt) }),
      ...(given.idleMs !== undefined && { idleTimeout: `${given.idleMs / 60_000}m` }),
      ...(given.issuer !== undefined && { identityProviderIssuer: given.issuer }),
      ...(given.provider !== undefined && { identityProviderName: given.provider }),
      ...(given.minApprovals !== undefined && { minApprovals: given.minApprovals }),
      allowIDPMismatch: given.anyIssuer,
    },
    status: {
      state: given.state as 'Approved',
      actualStartTime: iso(given.startedAt),
      approvals: ['lead', 'other'].slice(0, given.approvals).map((approver) => ({ approver, at: iso(0) })),
      ...(given.expiresAt !== undefined && { expiresAt: iso(given.expiresAt) }),
      ...(given.lastActivity !== undefined && { lastActivity: iso(given.lastActivity) }),
    },
  })
}

const putPolicy = (scene: AuthorizerScene, { name, clusters: where, sessions, verb, resource }: ModelPolicy) =>
  scene.policies.put({
    metadata: { name },
    spec: {
      ...((where || sessions) && { appliesTo: { ...(where && { clusters: where }), ...(sessions && { sessions }) } }),
      rules: [{ verbs: [verb], apiGroups: ['*'], resources: [resource] }],
    },
  })

function sceneOf(given: ModelWorld): AuthorizerScene {
  const scene = authorizerScene({ onPolicyError: given.onPolicyError, oidcPrefixes: given.prefixes })
  for (const [name, issuer] of Object.entries(given.issuers))
    scene.provider(name, issuer, undefined, given.ownPrefixes[name])
  for (const [name, { providers }] of Object.entries(given.clusters))
    scene.cluster(name, providers ? { identityProviderRefs: providers } : {})
  for (const one of given.sessions) putSession(scene, one)
  for (const one of given.policies) putPolicy(scene, one)
  for (const [name, user] of Object.entries(given.hubUsers)) scene.hubUsers.set(name, user)
  if (!given.canReadPolicies) scene.set = undefined
  return scene
}

const clusterSays = (given: ModelWorld, cluster: string, of: readonly string[], asked: Asked): Review => {
  if (given.clusters[cluster]?.isAway) return { answer: 'unknown', why: 'away' }
  const may = of.some((group) => given.rights.includes(`${cluster} ${group} ${asked.verb} ${asked.resource?.resource}`))
  return { answer: may ? 'allowed' : 'refused' }
}

async function follow(given: ModelWorld, taken: readonly Step[], seen: Record<string, number>): Promise<void> {
  const scene = sceneOf(given)
  let sessions = given.sessions
  let policies = given.policies
  const others = <T extends { name: string }>(all: readonly T[], name: string) => all.filter((one) => one.name !== name)
  for (const step of taken) {
    if (step.do === 'wait') await scene.clock.jumpTo(new Date(scene.clock.now().getTime() + step.ms))
    if (step.do === 'put') {
      putSession(scene, step.session)
      sessions = [...others(sessions, step.session.name), step.session]
    }
    if (step.do === 'remove') {
      scene.sessions.remove(`people/${step.name}`)
      sessions = others(sessions, step.name)
    }
    if (step.do === 'policy') {
      putPolicy(scene, step.policy)
      policies = [...others(policies, step.policy.name), step.policy]
    }
    if (step.do !== 'ask') continue
    const { cluster, user, issuer, verb, resource, scope } = step.question
    scene.answer = (where, of, asked) => {
      const review = clusterSays(given, where, of, asked)
      return step.later ? Promise.resolve(review) : review
    }
    const asked: Asked = {
      ...{ user, groups: [], verb, ...(issuer !== undefined && { issuer }) },
      resource: { group: '', version: 'v1', resource, subresource: '', namespace: 'shop', name: 'x' },
    }
    const now = scene.clock.now().getTime()
    const lastUsed = Object.fromEntries([...scene.lastUsed].map(([name, when]) => [name, when.getTime()]))
    const expected = modelVerdict({ ...given, sessions, policies, lastUsed }, step.question, now)
    const explained = await scene.authorizer.explain(cluster, asked, { scope })
    const decision = await scene.authorizer.decide(cluster, asked, { scope })
    seen[decision.verdict] = (seen[decision.verdict] ?? 0) + 1
    assert.equal(decision.verdict, expected, JSON.stringify(step.question))
    assert.deepEqual(explained.decision, decision, 'explained as decided')
  }
}

test('nothing is decided otherwise than a slow, obvious model has it', async () => {
  const seen: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(world, steps, (given, taken) => follow(given, taken, seen)),
    { numRuns: 600 },
  )
  for (const verdict of ['allowed', 'denied', 'noOpinion'])
    assert.ok((seen[verdict] ?? 0) > 50, `${verdict}: ${JSON.stringify(seen)}`)
})
