/** The lock of a cluster: everything that changes its credentials holds it. */
export interface ClusterLock {
  /**
   * One at a time a cluster, over all processes. The signal aborts when the lock is lost (its connection is gone): no
   * call outside may follow then. Throws PULL_BUSY when the lock cannot be had in time or too many wait already.
   *
   * @param by for whom, where registries of their choice are called: one caller never has all the connections
   */
  hold<T>(clusterId: string, work: (held: AbortSignal) => Promise<T>, by?: HeldBy): Promise<T>
  /** The same by a name of its own, without waiting: undefined when somebody else has it. For loops. */
  tryHold<T>(name: string, work: (held: AbortSignal) => Promise<T>): Promise<T | undefined>
}

export interface HeldBy {
  readonly caller: string
  /** Something is made: all who do leave some connections to those who end something. */
  readonly isMaking?: boolean
}
