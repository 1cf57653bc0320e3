/** The decision as one would explain it to somebody: slow, and obviously right. */

export interface ModelSession {
  name: string
  cluster: string
  user: string
  group: string
  state: string
  /** How many approvals are on record, of as many different people. */
  approvals: number
  minApprovals: number | undefined
  isBeingDeleted: boolean
  /** Milliseconds, as all times here. */
  expiresAt: number | undefined
  startedAt: number
  scheduledAt: number | undefined
  idleMs: number | undefined
  lastActivity: number | undefined
  issuer: string | undefined
  provider: string | undefined
  anyIssuer: boolean
  policies: string[]
}

export interface ModelPolicy {
  name: string
  clusters: string[] | undefined
  sessions: string[] | undefined
  verb: string
  resource: string
}

export interface ModelWorld {
  /** Name to the providers that it takes, or to nothing where it takes all. */
  clusters: Record<string, { providers: string[] | undefined; isAway: boolean }>
  issuers: Record<string, string>
  sessions: ModelSession[]
  policies: ModelPolicy[]
  canReadPolicies: boolean
  onPolicyError: 'deny' | 'noOpinion'
  /** `cluster group verb resource` that are allowed. */
  rights: string[]
  prefixes: string[]
  /** By name of provider, for where there are several. */
  ownPrefixes: Record<string, string>
  hubUsers: Record<string, string>
  /** By name of session. */
  lastUsed: Record<string, number>
}

export interface ModelQuestion {
  cluster: string
  user: string
  issuer: string | undefined
  verb: string
  resource: string
  scope: 'all' | 'policies'
}

export function modelVerdict(
  world: ModelWorld,
  question: ModelQuestion,
  now: number,
): 'allowed' | 'denied' | 'noOpinion' {
  const { cluster, user, scope } = question
  const facts = world.clusters[cluster]
  if (!facts) return 'noOpinion'
  if (user.startsWith('system:')) return 'noOpinion'
  if (world.hubUsers[cluster] === user) return 'noOpinion'

  const held = world.sessions.filter(
    (session) => session.cluster === cluster && session.user === user && runs(world, session, now),
  )
  if (!world.canReadPolicies) return world.onPolicyError === 'deny' && held.length > 0 ? 'denied' : 'noOpinion'
  const matching = world.policies.filter((policy) => fits(policy, question))
  if (matching.some(({ sessions }) => sessions === undefined)) return 'denied'
  if (scope === 'policies') return 'noOpinion'

  const theirs = held.filter((session) => belongs(world, session, question))
  const free = theirs.filter((session) => !isHeldBack(world, session, question))
  if (!facts.isAway && free.some((session) => mayGroup(world, session, question))) return 'allowed'
  return free.length < theirs.length ? 'denied' : 'noOpinion'
}

function runs(world: ModelWorld, session: ModelSession, now: number): boolean {
  if (session.isBeingDeleted || session.state !== 'Approved') return false
  if (session.approvals < (session.minApprovals ?? 1)) return false
  if (session.expiresAt === undefined || now >= session.expiresAt) return false
  if (session.scheduledAt !== undefined && now < session.scheduledAt) return false
  if (session.idleMs === undefined) return true
  const uses = [session.startedAt, session.lastActivity ?? 0, world.lastUsed[session.name] ?? 0]
  return now < Math.max(...uses) + session.idleMs
}

function belongs(world: ModelWorld, session: ModelSession, { cluster, issuer }: ModelQuestion): boolean {
  const taken = world.clusters[cluster]?.providers
  if (taken && !taken.includes(session.provider ?? '')) return false
  if (issuer === undefined || issuer === session.issuer) return true
  return session.anyIssuer && (!taken || taken.some((provider) => world.issuers[provider] === issuer))
}

const fits = ({ clusters, verb, resource }: ModelPolicy, question: ModelQuestion): boolean =>
  (clusters === undefined || clusters.includes(question.cluster)) &&
  (verb === '*' || verb === question.verb) &&
  (resource === '*' || resource === question.resource)

function isHeldBack(world: ModelWorld, session: ModelSession, question: ModelQuestion): boolean {
  if (session.policies.some((name) => !world.policies.some((policy) => policy.name === name))) return true
  return world.policies.some(
    (policy) =>
      fits(policy, question) &&
      (session.policies.includes(policy.name) || (policy.sessions ?? []).includes(session.name)),
  )
}

function mayGroup(
  world: ModelWorld,
  { group, provider = '' }: ModelSession,
  { cluster, verb, resource }: ModelQuestion,
): boolean {
  const own = world.ownPrefixes[provider]
  const isOnly = Object.keys(world.issuers).length === 1
  const prefixes = isOnly ? world.prefixes : own === undefined ? [] : [own]
  return [group, ...prefixes.map((prefix) => prefix + group)].some((known) =>
    world.rights.includes(`${cluster} ${known} ${verb} ${resource}`),
  )
}
