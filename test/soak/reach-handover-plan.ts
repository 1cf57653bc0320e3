import type { CheckpointName } from '../../src/core/checkpoint.ts'

/** Which process is killed, at each of these in turn. */
export interface Kill {
  process: 'agent' | 'hub'
  at: CheckpointName[]
}

/** What somebody spoils, so that another token has to be handed over. */
export type Spoiling = 'secret deleted' | 'secret damaged' | 'account deleted'

/** Who takes it back. In haste: before what was spoiled is whole again. */
export type Ending = 'by the hub' | 'by the cluster' | 'in haste' | 'while the agent is away'

/** From the invitation of a cluster until nothing of its way in is left. */
export interface HandoverPlan {
  invite: Kill
  renew: Kill & { after: Spoiling }
  withdraw: Kill & { how: Ending }
}

const agent = (...at: CheckpointName[]): Kill => ({ process: 'agent', at })
const hub = (...at: CheckpointName[]): Kill => ({ process: 'hub', at })

const invitations: Kill[] = [
  agent('handover.account-made'),
  agent('handover.token-received'),
  agent('handover.stored'),
  hub('handover.secret-made'),
  hub('handover.role-made'),
  hub('handover.binding-made'),
  hub('handover.config-made'),
  hub('reach.checked'),
  hub('reach.reported'),
]

const renewals: HandoverPlan['renew'][] = [
  { after: 'secret deleted', ...agent('handover.token-received') },
  { after: 'secret deleted', ...hub('handover.secret-made') },
  { after: 'secret deleted', ...hub('handover.part-removed') },
  { after: 'secret deleted', ...hub('handover.config-made') },
  { after: 'secret damaged', ...agent('handover.stored') },
  { after: 'secret damaged', ...hub('reach.checked') },
  { after: 'account deleted', ...agent('handover.account-made') },
  { after: 'account deleted', ...agent('handover.token-received') },
  { after: 'account deleted', ...agent('handover.stored') },
]

/** ClusterConfig, binding, role and Secret: killed so often, each is removed by another process. */
const parts = 4

const withdrawals: HandoverPlan['withdraw'][] = [
  { how: 'by the hub', ...agent('handover.account-removed') },
  { how: 'by the hub', ...hub('handover.part-removed') },
  { how: 'by the hub', ...hub(...Array<CheckpointName>(parts).fill('handover.part-removed')) },
  { how: 'by the cluster', ...agent('handover.account-removed') },
  { how: 'by the cluster', ...hub('handover.part-removed') },
  { how: 'in haste', ...agent() },
  { how: 'while the agent is away', ...hub('handover.part-removed') },
]

export const handoverCheckpoints: readonly CheckpointName[] = [
  ...new Set([...invitations, ...renewals, ...withdrawals].flatMap(({ at }) => at)),
]

/** So many rounds pass by every checkpoint. */
export const roundsForAll = Math.max(...[invitations, renewals, withdrawals].map(({ length }) => length))

/** Each case comes once before any comes again; which meets which differs from run to run. */
export function handoverPlans(rounds: number): HandoverPlan[] {
  const [invite, renew, withdraw] = [drawing(invitations), drawing(renewals), drawing(withdrawals)]
  return Array.from({ length: rounds }, () => ({ invite: invite(), renew: renew(), withdraw: withdraw() }))
}

function drawing<T>(cases: readonly T[]): () => T {
  let left: T[] = []
  return () => {
    if (left.length === 0) left = [...cases]
    return left.splice(Math.floor(Math.random() * left.length), 1)[0] as T
  }
}
