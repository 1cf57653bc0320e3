import { after } from '../../../core/clock.ts'

/** A token is not handed out any more this long before it expires. */
const marginMs = 30_000
/** One that lives hardly longer, or does not say, is used for this long all the same: one look at a cluster is several calls. */
const leastMs = 5_000
/** The largest that a Date can hold is far beyond; an issuer may say anything. */
const longestSeconds = 10 * 365 * 86_400

export function isFresh({ issuedAt, expiresAt }: { issuedAt: Date; expiresAt: Date }, now: Date): boolean {
  const [from, to] = [issuedAt.getTime(), expiresAt.getTime()]
  const least = to > from ? Math.min(leastMs, (to - from) / 2) : leastMs
  return now.getTime() < Math.max(to - marginMs, from + least)
}

/**
 * When a token ends that was asked for at `askedAt`: as the answer says, else as the token itself does; of one that does
 * not say no more is known than that it was good then.
 */
export function expiryOf(answer: { expires_in?: number | undefined; access_token: string }, askedAt: Date): Date {
  const { expires_in: seconds, access_token: token } = answer
  if (seconds !== undefined) return after(askedAt, Math.min(seconds, longestSeconds) * 1000)
  return expiryInside(token) ?? askedAt
}

function expiryInside(token: string): Date | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof exp === 'number' && Number.isFinite(exp) ? new Date(Math.min(exp, 8e12) * 1000) : undefined
  } catch {
    return undefined
  }
}
