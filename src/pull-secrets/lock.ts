/** The lock of a cluster: everything that changes its credentials holds it. */
export interface ClusterLock {
  /**
   * One at a time a cluster, over all processes. The signal aborts when the lock is lost (its connection is gone): no
   * call outside may follow then. Throws PULL_BUSY when the lock cannot be had in time or too many wait already.
   *
   * @param maker who has it held to make something, as long as a registry takes for it: one of them never has all the
   *   connections, and all of them leave some for those who end something
   */
  hold<T>(clusterId: string, work: (held: AbortSignal) => Promise<T>, maker?: string): Promise<T>
  /** The same by a name of its own, without waiting: undefined when somebody else has it. For loops. */
  tryHold<T>(name: string, work: (held: AbortSignal) => Promise<T>): Promise<T | undefined>
}
