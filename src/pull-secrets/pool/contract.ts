import type { CredentialRow } from '../accounts/contract.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import type { Loop } from '../loop.ts'
import type { Pooling } from '../service.ts'

export interface Pool extends Pooling {
  /** Gives a pooled credential to the cluster in one transaction, oldest first; undefined when there is none, or no pool. */
  take(cluster: ClusterFacts, registryId: string, actor: Actor): Promise<CredentialRow | undefined>
  loop: Loop
}
