import type { Accounts, CredentialRow } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { Rotation } from '../rotation/contract.ts'
import type { RegistryProgress } from '../service.ts'
import { progressOf } from './record.ts'

export interface EndingDeps extends PullDeps {
  accounts: Accounts
  rotation: Rotation
}

/** Who works, and whether somebody waits for it: the sweeper leaves what failed before to its next attempt. */
export interface Hand {
  actor: Actor
  isSweeper: boolean
}

/** Retires credentials, all at once: registries do not wait for each other. */
export async function retireAll(
  { accounts }: EndingDeps,
  work: readonly { row: CredentialRow; how: 'delete' | 'suspend' }[],
  held: AbortSignal,
  { actor, isSweeper }: Hand,
): Promise<RegistryProgress> {
  const outcomes = await Promise.allSettled(
    work.map(async ({ row, how }) => ({
      registryId: row.registry_id,
      outcome:
        isSweeper && row.state === 'revoking' ? ('pending' as const) : await accounts.retire(row, how, held, actor),
    })),
  )
  const broken = outcomes.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
  return progressOf(outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
}
