import type { Log } from '../../core/log.ts'
import type { Reason } from '../../core/reason.ts'
import { reasons as coreReasons } from '../../core/reasons.ts'
import { reasons } from '../reasons.ts'

/** Where an agent stands, for people, `--wait` and `doctor`. Holds no secrets. */
export interface AgentState {
  readonly phase: 'starting' | 'choosing' | 'asking' | 'awaiting' | 'joined'
  readonly cluster?: string
  readonly agent?: string
  /** The address of the hub it is on. */
  readonly hub?: string
  /** What stands in the way; absent when nothing does. */
  readonly trouble?: { readonly reason: Reason; readonly message: string }
  /** Of the certificate at hand. */
  readonly expiresAt?: Date
}

export interface StateBoard {
  get(): AgentState
  /** Merged into what is known; undefined removes. A change of phase or trouble is logged, once. */
  set(change: { [K in keyof AgentState]?: AgentState[K] | undefined }): void
}

/** The ordinary way in takes people: that they have not acted yet is nothing to be warned of. */
const isOnlyWaiting = (reason: Reason): boolean =>
  [coreReasons.AwaitingIssuer, coreReasons.AwaitingApproval, reasons.AwaitingAcceptance].includes(reason)

export function stateBoard(log: Log): StateBoard {
  let state: AgentState = { phase: 'starting' }
  return {
    get: () => state,
    set(change) {
      const before = state
      const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)
      state = Object.fromEntries(merged) as unknown as AgentState
      const { phase, cluster, hub, trouble } = state
      if (phase === before.phase && trouble?.message === before.trouble?.message) return
      const fields = { phase, cluster, hub, reason: trouble?.reason, detail: trouble?.message }
      log[trouble && !isOnlyWaiting(trouble.reason) ? 'warn' : 'info'](fields, 'agent state changed')
    },
  }
}
