import type { Accounts } from '../accounts/contract.ts'
import type { Actor } from '../actor.ts'
import type { Loop } from '../loop.ts'
import type { Rotating } from '../service.ts'
import type { Tx } from '../store/tables.ts'

/** The same accounts, by the priority of their calls. */
export interface RotationAccounts {
  urgent: Accounts
  usual: Accounts
}

export interface Rotation extends Rotating {
  /** For suspend and delete, under the cluster's lock: whatever its phase, the open rotation is cancelled. Its credentials are the caller's to retire. */
  cancelOpen(tx: Tx, clusterId: string, actor: Actor): Promise<void>
  /** Moves open rotations on; starts scheduled ones; removes what expired. */
  loops: readonly Loop[]
}
