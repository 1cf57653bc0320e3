/** What is known when it is decided how an API server is trusted. Fingerprints as people compare them. */
export interface Situation {
  /** The CA that a Secret holds. */
  readonly kept: { readonly fingerprint: string; readonly by: 'person' | 'first-use' } | undefined
  /** What a person compared with the cluster's CA. */
  readonly confirmed: string | undefined
  readonly mayTrustFirst: boolean
  /** The roots of the system vouched for this server before. */
  readonly systemVouchedBefore: boolean
  /** What was trusted on first use of this server, as the status tells. It outlives the Secret. */
  readonly trustedBefore: string | undefined
  /** What the server shows; undefined while nobody has looked. */
  readonly offer: Offered | undefined
}

export interface Offered {
  readonly fingerprint: string
  readonly vouchedBySystem: boolean
  readonly vouchedByKept: boolean
}

export type Decision =
  | { readonly do: 'use-kept' }
  | { readonly do: 'use-system' }
  /** See what the server shows, and decide again. */
  | { readonly do: 'look' }
  /** Keep what the server shows. */
  | { readonly do: 'pin' }
  | { readonly do: 'refuse-changed'; readonly onRecord: string }
  | { readonly do: 'refuse-unvouched' }

export function decideTrust(situation: Situation): Decision {
  return situation.kept ? decideWithKept(situation, situation.kept) : decideWithNone(situation)
}

function decideWithKept({ confirmed, offer }: Situation, kept: NonNullable<Situation['kept']>): Decision {
  if (kept.by === 'person' || confirmed === undefined || confirmed === kept.fingerprint) return { do: 'use-kept' }
  if (!offer) return { do: 'look' }
  if (offer.fingerprint === confirmed) return { do: 'pin' }
  // A new CA may be confirmed before the server shows it.
  return offer.vouchedByKept ? { do: 'use-kept' } : { do: 'refuse-changed', onRecord: kept.fingerprint }
}

function decideWithNone(situation: Situation): Decision {
  const { confirmed, mayTrustFirst, systemVouchedBefore, trustedBefore, offer } = situation
  if (confirmed === undefined && !mayTrustFirst) return { do: 'use-system' }
  if (!offer) return { do: 'look' }
  if (offer.fingerprint === confirmed) return { do: 'pin' }
  if (offer.vouchedBySystem) return { do: 'use-system' }
  if (confirmed !== undefined) return { do: 'refuse-changed', onRecord: trustedBefore ?? confirmed }
  // It is not the first use: whoever answers now may not be whom the system's roots vouched for,
  if (systemVouchedBefore) return { do: 'refuse-unvouched' }
  // nor whom the hub trusted until the Secret went away.
  if (trustedBefore !== undefined && trustedBefore !== offer.fingerprint)
    return { do: 'refuse-changed', onRecord: trustedBefore }
  return { do: 'pin' }
}
