import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { goQuote } from '../go-quote.ts'
import type { Store } from '../storage/store.ts'
import type { BearerToken } from './bearer-token.ts'
import type { BoundTo } from './bound-objects.ts'
import { extraOf, whyRevoked } from './bound-objects.ts'
import type { KeyInput } from './service-account-key.ts'
import { foreign, ServiceAccountKey } from './service-account-key.ts'
import { serviceAccountGroups, serviceAccountName } from './user.ts'
import type { Notes, TokenAuthenticator, Verdict } from './verdict.ts'

export interface ServiceAccountTokensInput extends KeyInput {
  /** What tokens name as their issuer, and as their audience unless another is asked for. */
  issuer: string
}

export interface ServiceAccountTokensDeps extends ServiceAccountTokensInput {
  store: Pick<Store, 'get'>
  clock: Pick<Clock, 'now'>
}

/** What a token is issued for. */
export interface Grant {
  readonly bound: BoundTo
  readonly audiences: readonly string[]
  readonly lifeSeconds: number
  /** After this, use of the token is noted as overdue. */
  readonly warnAfterSeconds?: number | undefined
}

/** The claims that are read of a token of ours. */
interface Claims {
  readonly aud: readonly string[]
  readonly exp: number | undefined
  readonly nbf: number | undefined
  readonly iat: number | undefined
  readonly jti: string
  readonly warnAfter: number | undefined
  readonly bound: BoundTo
}

/** Clocks may differ by this much. Kubernetes has it so, and what was deleted less long ago still counts there, too. */
export const leewaySeconds = 60

const mostRemembered = 8192

/**
 * Issues tokens of service accounts and tells whose they are. What is remembered of a token is that its signature is
 * good, never that the token is: accounts and bound objects are looked up each time, so deleting one revokes at once.
 */
export class ServiceAccountTokens implements TokenAuthenticator {
  readonly issuer: string
  /** For what this API's own tokens are good. */
  readonly audiences: readonly string[]
  readonly #deps: ServiceAccountTokensDeps
  readonly #key: ServiceAccountKey
  readonly #signed = new BoundedMap<string, Claims>(mostRemembered)

  constructor(deps: ServiceAccountTokensDeps) {
    this.#deps = deps
    this.#key = new ServiceAccountKey(deps)
    this.issuer = deps.issuer
    this.audiences = [deps.issuer]
  }

  issue({ bound, audiences, lifeSeconds, warnAfterSeconds }: Grant): { token: string; issuedAt: Date } {
    const issuedAt = this.#deps.clock.now()
    const now = secondsOf(issuedAt)
    const { namespace, serviceaccount, pod, secret, node } = bound
    const token = this.#key.sign({
      aud: audiences,
      exp: now + lifeSeconds,
      iat: now,
      iss: this.issuer,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace,
        ...(node && { node }),
        ...(pod && { pod }),
        ...(secret && { secret }),
        serviceaccount,
        ...(warnAfterSeconds !== undefined && { warnafter: now + warnAfterSeconds }),
      },
      nbf: now,
      sub: serviceAccountName(namespace, serviceaccount.name),
    })
    return { token, issuedAt }
  }

  authenticate(token: BearerToken, audiences: readonly string[]): Verdict | undefined {
    let claims = this.#signed.get(token.digest)
    if (!claims) {
      const { jwt } = token
      if (jwt?.claims['iss'] !== this.issuer) return undefined
      const why = this.#key.whyNotMine(jwt)
      if (why === foreign) return undefined
      if (why) return { error: why }
      claims = readClaims(jwt.claims, this.audiences)
      this.#signed.set(token.digest, claims)
    }
    return this.#judge(claims, audiences)
  }

  #judge({ aud, exp, nbf, iat, jti, warnAfter, bound }: Claims, audiences: readonly string[]): Verdict {
    const wanted = aud.filter((audience) => audiences.includes(audience))
    if (wanted.length === 0)
      return { error: `token audiences ${listed(aud)} is invalid for the target audiences ${listed(audiences)}` }
    const now = this.#deps.clock.now()
    const seconds = now.getTime() / 1000
    if (nbf !== undefined && seconds + leewaySeconds < nbf) return { error: 'service account token is not valid yet' }
    if (exp !== undefined && seconds - leewaySeconds > exp) return { error: 'service account token has expired' }
    if (iat !== undefined && seconds + leewaySeconds < iat)
      return { error: 'service account token is issued in the future' }
    const why = whyRevoked(bound, this.#deps.store, seconds - leewaySeconds)
    if (why) return { error: why }
    const { namespace, serviceaccount } = bound
    const name = serviceAccountName(namespace, serviceaccount.name)
    return {
      user: {
        name,
        uid: serviceaccount.uid,
        groups: serviceAccountGroups(namespace),
        ...extraOf(bound, jti),
      },
      audiences: [...new Set(wanted)],
      ...(warnAfter && seconds > warnAfter && { notes: noteOverdue(name, Math.floor(seconds) - warnAfter) }),
    }
  }
}

const noteOverdue = (subject: string, seconds: number): Notes => ({
  annotations: {
    'authentication.k8s.io/stale-token': `subject: ${subject}, seconds after warning threshold: ${seconds}`,
  },
})

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000)

/** As Go prints a list of strings with %q. */
export const listed = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`

/** A token of old that names no audience is meant for this API. */
function readClaims(claims: Readonly<Record<string, unknown>>, ownAudiences: readonly string[]): Claims {
  const { aud, exp, nbf, iat, jti } = claims
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === 'string')
  const { warnafter, ...bound } = (claims['kubernetes.io'] ?? {}) as Partial<BoundTo> & { warnafter?: unknown }
  return {
    aud: audiences.length > 0 ? audiences : ownAudiences,
    exp: numberOf(exp),
    nbf: numberOf(nbf),
    iat: numberOf(iat),
    jti: typeof jti === 'string' ? jti : '',
    warnAfter: numberOf(warnafter),
    bound: {
      ...bound,
      namespace: bound.namespace ?? '',
      serviceaccount: bound.serviceaccount ?? { name: '', uid: '' },
    },
  }
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
