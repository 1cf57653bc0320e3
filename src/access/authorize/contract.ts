import type { Unread } from './read-review.ts'

/** A SubjectAccessReview, read. */
export interface Asked {
  readonly user: string
  readonly groups: readonly string[]
  /** Who issued the user's token, where the cluster tells. */
  readonly issuer?: string
  readonly verb: string
  readonly resource?: {
    readonly group: string
    readonly version: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
  }
  readonly path?: string
}

/** Where a decision comes from; a label of metrics and a field of audit events. */
export const decisionSources = [
  'session',
  'policy',
  'policy-error',
  'none',
  'cluster-missing',
  'system-user',
  'hub-identity',
  'unverified',
  'provider-mismatch',
  'overload',
  'unread',
] as const
export type DecisionSource = (typeof decisionSources)[number]

export interface Decision {
  readonly verdict: 'allowed' | 'denied' | 'noOpinion'
  readonly source: DecisionSource
  /** For people: what is so and what to do. */
  readonly reason: string
  readonly session?: { readonly namespace: string; readonly name: string; readonly group: string }
  readonly policy?: string
  /** What policies want to be known of although they do not forbid it. */
  readonly warnings?: readonly string[]
}

/** `policies`: only what forbids is looked at, for the entry of the chain that comes before RBAC. */
export type Scope = 'all' | 'policies'

export interface Authorizer {
  /** Never later than the total deadline. Throws only where the name of the cluster is ambiguous or nothing is known yet. */
  decide(cluster: string, asked: Asked, options?: DecideOptions): Decision | Promise<Decision>
}

/** What can be said of deny policies without waiting for anything. */
export interface AtOnce {
  /** The same as `decide` with the scope `policies`; undefined where that would have to ask somebody. */
  glance(cluster: string, asked: Asked): Decision | undefined
  /** Where nobody can be asked: what a policy might forbid is denied, to everybody whom policies are for. */
  overloaded(cluster: string, asked: Asked): Decision
  /** Of a question that could not be read: denied where there is a policy that may be about it. */
  unread(cluster: string, why: Unread): Decision
  /** Where the hub failed: the same, if the installation wants it so; undefined if it wants no opinion. */
  failed(cluster: string, asked: Asked): Decision | undefined
}

export interface DecideOptions {
  signal?: AbortSignal
  scope?: Scope
  /** What is left of the total deadline, where some of it is gone already. */
  withinMs?: number
}

/** Why a session does not count for what was asked. */
export const sessionAsides = [
  'not-granting',
  'other-issuer',
  'other-provider',
  'policy',
  'refused',
  'unverified',
] as const
export type SessionAside = (typeof sessionAsides)[number]

/** A decision with how it came about. */
export interface Explanation {
  readonly decision: Decision
  /** Every session of this user on this cluster, ended ones too. */
  readonly sessions: readonly {
    readonly namespace: string
    readonly name: string
    readonly group: string
    readonly state: string
    /** Absent: it counts. */
    readonly aside?: SessionAside
  }[]
  /** Those that forbid, in the order they were met; `session`: only what this one grants. */
  readonly policies: readonly { readonly policy: string; readonly because: string; readonly session?: string }[]
  /** What the cluster said. */
  readonly reviews: readonly { readonly groups: readonly string[]; readonly review: Review }[]
}

export interface Explainer {
  /** The same decision, by the same code, with its trace. Nothing is counted, recorded or taken for use. */
  explain(cluster: string, asked: Asked, options?: { signal?: AbortSignal; scope?: Scope }): Promise<Explanation>
}

/** When sessions were used: in memory at once, in their status soon after. */
export interface Activity {
  used(session: { namespace: string; name: string }, at: Date): void
  lastUsed(session: { namespace: string; name: string }): Date | undefined
}

/** Whether a group may do something on a cluster, by the cluster itself. */
export interface Reviews {
  /** 'unknown': it could not be asked in time. */
  ask(cluster: string, groups: readonly string[], asked: Asked, signal: AbortSignal): Review | Promise<Review>
}
export type Review = { readonly answer: 'allowed' | 'refused' } | { readonly answer: 'unknown'; readonly why: string }
