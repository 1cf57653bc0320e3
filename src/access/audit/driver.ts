import type { AuditRecord } from './chain.ts'

/** How one sink is told. One call at a time. */
export interface Driver {
  /** Records at a time at most. */
  readonly batchSize: number
  /** Resolves when the sink has all of them. Until then it has all, some or none, and gets the same again. */
  write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void>
  /** Whether it makes sense to send the same again after this. */
  isFinal?(error: unknown): boolean
  close?(): Promise<void>
}
