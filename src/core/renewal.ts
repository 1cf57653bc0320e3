import type { Pass } from './pass.ts'
import type { Random } from './random.ts'

/** Between which shares of its life a pass is renewed. The draw in between spreads a fleet's renewals. */
export interface RenewalWindow {
  from: number
  to: number
}

/** A certificate's last quarter to fifth, the window agents of the field use. */
export const defaultWindow: RenewalWindow = { from: 0.75, to: 0.8 }

/**
 * When a pass received at `receivedAt` is renewed; undefined for one that does not expire.
 * Never before half of what was left at receipt, whatever the issuer proposes: a back-dated or short life must not
 * make the loop spin.
 */
export function renewalOf(pass: Pass, receivedAt: Date, window: RenewalWindow, random: Random): Date | undefined {
  if (!pass.expiresAt) return undefined
  const expires = pass.expiresAt.getTime()
  const received = receivedAt.getTime()
  const born = Math.max(pass.issuedAt.getTime(), received)
  const share = window.from + (window.to - window.from) * random.fraction()
  const proposed = pass.renewAt?.getTime() ?? born + (expires - born) * share
  const halfLeft = received + (expires - received) / 2
  return new Date(Math.max(proposed, halfLeft))
}

export const isDue = (pass: Pass, now: Date): boolean => pass.renewAt !== undefined && pass.renewAt <= now

export const isExpired = (pass: Pass, now: Date): boolean => pass.expiresAt !== undefined && pass.expiresAt <= now
