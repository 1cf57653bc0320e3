const dayMs = 86_400_000

export interface PoolSettings {
  high: number
  low: number
  batch: number
  maxIdleDays: number
}

/** How the service behaves, apart from which registries there are. */
export interface PullSettings {
  instanceId: string
  /** Besides gcp, aws and azure. */
  extraProviders: readonly string[]
  rotation: {
    policyDays: number
    /** Share of the policy by which clusters are spread. */
    jitter: number
    graceMs: number
    onGraceExpiry: 'revoke' | 'hold'
    /** Before the end of the grace. */
    warnMs: number
    /** In `creating`, before a rotation has failed. */
    attempts: number
    /** Of scheduled ones. 0: all that are due. */
    maxPerHour: number
    historyDays: number
  }
  /** Undefined: no pool. */
  pool?: PoolSettings
  sweep: {
    /** How old an intent is before somebody else takes it up; at most `sweepMs`, for it to be within two ticks. */
    afterMs: number
    batch: number
  }
  loops: {
    sweepMs: number
    rotationMs: number
    scheduleMs: number
    poolMs: number
    expiryMs: number
    outboxMs: number
    deliveryMs: number
    reencryptionMs: number
  }
}

export const defaultPullSettings: PullSettings = {
  instanceId: 'default',
  extraProviders: [],
  rotation: {
    policyDays: 90,
    jitter: 0.1,
    graceMs: 7 * dayMs,
    onGraceExpiry: 'revoke',
    warnMs: dayMs,
    attempts: 20,
    maxPerHour: 0,
    historyDays: 90,
  },
  sweep: { afterMs: 30_000, batch: 100 },
  loops: {
    sweepMs: 30_000,
    rotationMs: 60_000,
    scheduleMs: 300_000,
    poolMs: 300_000,
    expiryMs: 300_000,
    outboxMs: 1_000,
    deliveryMs: 5_000,
    reencryptionMs: 60_000,
  },
}
