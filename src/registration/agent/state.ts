import type { Log } from '../../core/log.ts'
import type { Reason } from '../../core/reason.ts'

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
      log[trouble ? 'warn' : 'info'](fields, 'agent state changed')
    },
  }
}
