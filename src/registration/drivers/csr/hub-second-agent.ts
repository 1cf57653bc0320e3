import { after } from '../../../core/clock.ts'

/** Who has the place of a cluster's agent. */
export interface Incumbent {
  /** Undefined: the cluster has joined, but the hub does not know by which agent. */
  agent: string | undefined
  /** Undefined: not known, so not known to be over. */
  certificateExpiresAt: Date | undefined
}

/** What the hub heard of the agent that has the place, by its own clock. */
export interface Pulse {
  /** Undefined while there is no lease. */
  receivedAt: Date | undefined
  /** The last renewal that the hub saw happen. */
  renewedAt: Date | undefined
  leaseDurationMs: number
  graceMs: number
}

export interface Asking {
  agent: string
  /** When the hub saw the request first. */
  seenAt: Date
}

export type Standing =
  /** Nobody is in its way. */
  | { readonly standing: 'free' }
  /** It may be the agent itself, back without its certificate: `until` then tells, unless a renewal does before. */
  | { readonly standing: 'waits'; readonly until: Date }
  /** It is a second agent, at least `until` then. */
  | { readonly standing: 'second'; readonly until: Date | undefined }

/** Renewals come after 1.25 lease durations at the latest. */
export const silentLeaseDurations = 1.5

/**
 * Whether a request that was not made by the agent's own identity comes from a second agent. Under another name it does
 * while the first is heard of or its certificate is good. Under the same name it is the agent that lost its
 * certificate, unless the lease is renewed after it asked: then it is a copy.
 */
export function standingOf(asking: Asking, incumbent: Incumbent | undefined, pulse: Pulse, now: Date): Standing {
  if (!incumbent) return free
  const staleAt = pulse.receivedAt && after(pulse.receivedAt, pulse.graceMs)
  const isAlive = staleAt !== undefined && now < staleAt
  if (incumbent.agent !== undefined && incumbent.agent !== asking.agent) {
    const { certificateExpiresAt } = incumbent
    if (!certificateExpiresAt) return { standing: 'second', until: undefined }
    const until = staleAt && staleAt > certificateExpiresAt ? staleAt : certificateExpiresAt
    return now < until ? { standing: 'second', until } : free
  }
  if (!isAlive || !pulse.receivedAt) return free
  if (pulse.renewedAt && pulse.renewedAt > asking.seenAt) return { standing: 'second', until: staleAt }
  const silentAt = after(pulse.receivedAt, silentLeaseDurations * pulse.leaseDurationMs)
  const until = silentAt < staleAt ? silentAt : staleAt
  return now < until ? { standing: 'waits', until } : free
}

const free: Standing = { standing: 'free' }
