import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Authenticator, Identity, Ruling, Verdict } from './contract.ts'
import { expiringCache, fingerprint } from './expiring-cache.ts'
import { unverifiedClaims } from './unverified.ts'

/** Opened on first use: without service accounts nothing of Kubernetes is loaded. */
export type KubeSource = () => Promise<Pick<Kube, 'request'>>

export interface ReviewDeps {
  kube: KubeSource
  audience: string
  clock: Clock
  log: Log
}

const yesMs = 60_000
const noMs = 10_000

interface TokenReview {
  status?: {
    authenticated?: boolean
    audiences?: string[]
    user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> }
  }
}

/** Asks the API server whose a token is. It has to be for our audience: one that was made for others is no key to us. */
export function serviceAccountAuthenticator({ kube, audience, clock, log }: ReviewDeps): Authenticator {
  // Two caches: without credentials one can make up tokens at will, and they must not push out those that were proven.
  const proven = expiringCache<Verdict>(clock)
  const refused = expiringCache<Verdict>(clock)
  const review = async (token: string, signal: AbortSignal): Promise<Verdict> => {
    const { status } = await (await kube()).request<TokenReview>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      contentType: 'application/json',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences: [audience] } },
      signal,
    })
    const { username, ...rest } = status?.user ?? {}
    // A server that knows nothing of audiences names none, and then the token was not checked for ours.
    const isOurs = status?.authenticated === true && status.audiences?.includes(audience) === true
    if (!isOurs || !isAccountName(username)) return { refused: 'wrong' }
    return { identity: { name: username, kind: 'serviceaccount', claims: {}, user: { username, ...rest } } }
  }
  return async (token, signal) => {
    const claims = unverifiedClaims(token.reveal())
    // What does not even claim to be one is not asked about: anybody could make us ask otherwise, as often as they like.
    if (!isAccountName(claims?.['sub'])) return undefined
    const key = fingerprint(token)
    const seen = proven.get(key) ?? refused.get(key)
    if (seen) return seen
    const now = clock.now()
    const expires = claims?.['exp']
    if (typeof expires === 'number' && expires * 1_000 <= now.getTime()) return { refused: 'expired' }
    try {
      const verdict = await review(token.reveal(), signal)
      if ('identity' in verdict) proven.set(key, verdict, after(now, yesMs))
      else refused.set(key, verdict, after(now, noMs))
      return verdict
    } catch (error) {
      log.warn({ err: error }, 'a token cannot be reviewed')
      return { refused: 'unavailable' }
    }
  }
}

const isAccountName = (name: unknown): name is string =>
  typeof name === 'string' && name.startsWith('system:serviceaccount:')

/** What a permission is called in RBAC. */
export interface ResourceRule {
  verb: string
  group: string
  resource: string
  subresource?: string
}

export type AccessReview = (
  who: Identity,
  rule: ResourceRule,
  name: string | undefined,
  signal: AbortSignal,
) => Promise<Ruling>

/** Asks the API server whether somebody may. The answer is kept: a minute a yes, ten seconds a no. */
export function accessReview({ kube, clock, log }: Omit<ReviewDeps, 'audience'>): AccessReview {
  const ruled = expiringCache<Ruling>(clock)
  return async (who, rule, name, signal) => {
    const subject = who.user ?? { username: who.name, groups: groupsOf(who) }
    const key = JSON.stringify([subject, rule, name])
    const seen = ruled.get(key)
    if (seen) return seen
    try {
      const { username, uid, groups, extra } = subject
      const { status } = await (await kube()).request<{ status?: { allowed?: boolean; denied?: boolean } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        contentType: 'application/json',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            resourceAttributes: { ...rule, ...(name !== undefined && { name }) },
            user: username,
            uid,
            groups,
            extra,
          },
        },
        signal,
      })
      const ruling: Ruling = status?.allowed === true && status.denied !== true ? 'yes' : 'no'
      ruled.set(key, ruling, after(clock.now(), ruling === 'yes' ? yesMs : noMs))
      return ruling
    } catch (error) {
      log.warn({ err: error }, 'nobody says whether a caller may')
      return 'unavailable'
    }
  }
}

const groupsOf = ({ claims }: Identity): string[] =>
  Array.isArray(claims['groups']) ? claims['groups'].filter((group) => typeof group === 'string') : []
