import type { Selectable } from 'kysely'
import type { Secret } from '../../core/secret.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import type { CredentialTable } from '../store/tables.ts'

export type CredentialRow = Selectable<CredentialTable>

export interface AccountWanted {
  /** Absent: for the pool. */
  cluster?: ClusterFacts
  registryId: string
  /** `staged` belongs to a rotation, and is not served before the flip. */
  as: 'active' | 'staged'
  rotationId?: string
}

/**
 * Accounts at registries and their rows here, made and ended so that a crash at any line loses neither: the intent is
 * committed before the call outside, the result after it, and what lies between is the sweeper's.
 * Whoever calls holds the cluster's lock and hands on its signal; for the pool, the loop's.
 */
export interface Accounts {
  /**
   * Makes one account, or goes on with one that was begun (a provisioning row of this cluster, registry and rotation).
   * Throws the failure of the registry; what was begun then stays on record, is never doubled, and is taken up by the
   * next call or by the sweeper.
   */
  issue(wanted: AccountWanted, held: AbortSignal, actor: Actor): Promise<CredentialRow>
  /**
   * Ends an account: row to `revoking`, outside, then the row is deleted (`delete`) or kept without token (`suspend`).
   * `pending`: outside it did not work yet, the sweeper goes on with it.
   */
  retire(
    credential: CredentialRow,
    how: 'delete' | 'suspend',
    held: AbortSignal,
    actor: Actor,
  ): Promise<'gone' | 'pending'>
  /** A suspended credential back to life: recovered or enabled where the registry can, made anew where not. */
  revive(credential: CredentialRow, cluster: ClusterFacts, held: AbortSignal, actor: Actor): Promise<CredentialRow>
  /** Reads the token of a row. */
  tokenOf(credential: CredentialRow): Secret
  /** Takes up what was left half done and is older than the settings say. */
  sweep(signal: AbortSignal): Promise<void>
}
