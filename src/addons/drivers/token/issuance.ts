import { after } from '../../../core/clock.ts'
import type { Issuance, Kept, Pass, Step } from '../../../core/pass.ts'
import type { Reason } from '../../../core/reason.ts'
import { isDue, isExpired } from '../../../core/renewal.ts'
import { fingerprintOf } from '../../../fleet/account-token.ts'
import { reasons } from '../../reasons.ts'
import type { Infrastructure } from './accounts.ts'
import type { GrantedToken } from './request.ts'
import type { PassFacts, TokenMaterial } from './token-secret.ts'

/** So much of what was granted is over when a token is replaced. */
export const refreshShare = 0.8

export interface TokenIssuanceOptions {
  account: string
  facts: PassFacts
  /** What the hub says of the account at present. */
  infrastructure(): Infrastructure
  request(): Promise<GrantedToken>
  /** Between two looks when the hub gives tokens of another account than it announces. */
  lookAgainMs: number
}

export interface TokenIssuance extends Issuance<TokenMaterial> {
  /** What was granted last is where it belongs; should it get lost there, another one is asked for. */
  stored(): void
}

/** Asks for tokens of one account, once the hub has announced it. */
export function tokenIssuance(options: TokenIssuanceOptions): TokenIssuance {
  const { account, facts } = options
  /** Granted and not yet stored: where the Secret cannot be written, the hub is asked once and not at each try. */
  let unstored: Kept<TokenMaterial> | undefined
  const waiting = (reason: Reason, wake?: Date): Step<TokenMaterial> => ({
    step: 'waiting',
    for: reason,
    ...(wake && { wake }),
  })

  return {
    stored() {
      unstored = undefined
    },
    async next(now, kept) {
      const infrastructure = options.infrastructure()
      if (infrastructure.is === 'foreign') return waiting(reasons.AccountRefused)
      // Without a word of the hub what is at hand stays good, and is renewed: only a first token has to wait for it.
      const uid = infrastructure.is === 'ready' ? infrastructure.uid : kept?.material.uid
      const isOther = infrastructure.is === 'ready' && infrastructure.account !== account
      if (uid === undefined || isOther) return waiting(reasons.AwaitingTokenInfrastructure)

      const isGood = (one: Kept<TokenMaterial> | undefined): one is Kept<TokenMaterial> =>
        one?.material.uid === uid && !isDue(one.pass, now) && !isExpired(one.pass, now)
      if (isGood(kept)) return { step: 'granted', ...kept }
      if (isGood(unstored)) return { step: 'granted', ...unstored }

      const granted = await options.request()
      // The account was made anew a moment ago: the hub is about to say so.
      if (granted.claims.uid !== uid)
        return waiting(reasons.AwaitingTokenInfrastructure, after(now, options.lookAgainMs))
      unstored = {
        pass: passOf(facts, granted, now),
        material: { token: granted.token, uid, expiresAt: granted.expiresAt },
      }
      return { step: 'granted', ...unstored }
    },
  }
}

/**
 * The life that the hub granted, from the moment it was asked: by its own clock that is the difference of two moments,
 * so that a clock here that is ahead or behind changes nothing.
 */
export function passOf(facts: PassFacts, { token, claims, expiresAt }: GrantedToken, askedAt: Date): Pass {
  const endsAt = Math.min(claims.expiresAt.getTime(), expiresAt.getTime())
  const lifeMs = endsAt - claims.issuedAt.getTime()
  return {
    ...facts,
    issuedAt: askedAt,
    expiresAt: after(askedAt, lifeMs),
    renewAt: after(askedAt, lifeMs * refreshShare),
    fingerprint: fingerprintOf(token),
  }
}
