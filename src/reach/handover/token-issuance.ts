import { after } from '../../core/clock.ts'
import type { Issuance, Kept, Pass } from '../../core/pass.ts'
import { isDue, isExpired } from '../../core/renewal.ts'
import type { GrantedToken } from '../../fleet/account-token.ts'
import { fingerprintOf } from '../../fleet/account-token.ts'
import { reasons } from '../../fleet/spoke/reasons.ts'
import type { HandedToken, PassFacts } from './shelf.ts'

export interface HandoverIssuanceOptions {
  facts: PassFacts
  /** Whether there is where to put a token. */
  isAwaited(): boolean
  /** The UID of the account, which is made where there is none. */
  account(): Promise<string>
  request(): Promise<GrantedToken>
}

export interface HandoverIssuance extends Issuance<HandedToken> {
  /** What was granted last is where it belongs; should it get lost there, another one is asked for. */
  stored(): void
}

/** Asks for tokens of the account, as long as the hub wants them. */
export function handoverIssuance({ facts, isAwaited, account, request }: HandoverIssuanceOptions): HandoverIssuance {
  /** Granted and not yet stored: where the hub cannot be written to, the cluster is asked once and not at each try. */
  let unstored: Kept<HandedToken> | undefined
  return {
    stored() {
      unstored = undefined
    },
    async next(now, kept) {
      if (!isAwaited()) return { step: 'waiting', for: reasons.AwaitingInvitation }
      const uid = await account()
      const isGood = (one: Kept<HandedToken> | undefined): one is Kept<HandedToken> =>
        one?.material.uid === uid && !isDue(one.pass, now) && !isExpired(one.pass, now)
      if (isGood(kept)) return { step: 'granted', ...kept }
      if (isGood(unstored)) return { step: 'granted', ...unstored }
      const granted = await request()
      unstored = { pass: passOf(facts, granted, now), material: { token: granted.token, uid: granted.claims.uid } }
      return { step: 'granted', ...unstored }
    },
  }
}

/** The life that the cluster granted, from the moment it was asked: a clock here that is ahead or behind changes nothing. */
export function passOf(facts: PassFacts, { token, claims }: GrantedToken, askedAt: Date): Pass {
  const lifeMs = claims.expiresAt.getTime() - claims.issuedAt.getTime()
  return { ...facts, issuedAt: askedAt, expiresAt: after(askedAt, lifeMs), fingerprint: fingerprintOf(token) }
}
