/** The section `access` of lanyard.yaml, as the parts see it. Read at each use, so that a change counts at once. */
export interface AccessSettings {
  /** Where people and API servers find the hub: `https://lanyard.example.com`. Absent: as the server is bound. */
  readonly url?: string
  /** Of a page for people; reasons and notices link to it. */
  readonly frontendUrl?: string
  /** Where a ClusterConfig does not say. */
  readonly userIdentifierClaim: 'email' | 'preferred_username' | 'sub'
  /** Taken off groups of tokens before they are compared, and tried before groups of escalations on a cluster. */
  readonly oidcPrefixes: readonly string[]
  /** What becomes of people who hold a session when policies cannot be read. */
  readonly onPolicyError: 'deny' | 'noOpinion'
  /** Whether an answer tells nobody which identity providers there are. */
  readonly hardenedProviderHints: boolean
  /** A pattern with a group named `tenant`, matched against the whole clusterID. */
  readonly tenantPattern?: string
  /** What the printed AuthorizationConfiguration has; the least idleTimeout follows from it. */
  readonly authorizedTtlMs: number
  readonly spokeDeadlineMs: number
  readonly totalDeadlineMs: number
  /** How long an answer of a cluster counts. */
  readonly reviewTtlMs: { readonly allowed: number; readonly refused: number }
  readonly limits: {
    /** Calls a person may make. */
    readonly perMinute: number
    readonly burst: number
    readonly requestsPerMinute: number
    /** Questions that one cluster may put to the webhook; twice as many at once after a pause. */
    readonly reviewsPerSecond: number
  }
  /** Networks of load balancers and proxies before the hub. */
  readonly trustedProxies: readonly string[]
  /** Besides mail: each is sent every notice. */
  readonly notify: readonly NotifyTarget[]
  /** Where the log sink writes. Absent: standard output. */
  readonly auditFile?: string
}

export interface NotifyTarget {
  readonly name: string
  /** `webhook`: the notice as JSON. `chat`: `{"text": …}`, as Slack, Mattermost and Teams take it. */
  readonly kind: 'webhook' | 'chat'
  readonly url: string
  /** A file with a bearer token. */
  readonly tokenFile?: string
}

export const defaultAccessSettings: AccessSettings = {
  userIdentifierClaim: 'email',
  oidcPrefixes: ['oidc:'],
  onPolicyError: 'deny',
  hardenedProviderHints: true,
  authorizedTtlMs: 10_000,
  spokeDeadlineMs: 800,
  totalDeadlineMs: 1_500,
  reviewTtlMs: { allowed: 10_000, refused: 3_000 },
  limits: { perMinute: 600, burst: 100, requestsPerMinute: 10, reviewsPerSecond: 200 },
  trustedProxies: [],
  notify: [],
}
