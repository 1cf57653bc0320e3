import type { Accounts } from '../accounts/index.ts'
import type { PullDeps } from '../deps.ts'
import { checkClusterId, checkReason } from '../issuing/index.ts'
import type { Rotation } from '../rotation/contract.ts'
import type { Ending, Issuing } from '../service.ts'
import type { EndingDeps } from './deps.ts'
import { clusterRow } from './record.ts'
import { remove } from './remove.ts'
import { resume } from './resume.ts'
import { suspend } from './suspend.ts'
import { sweepEndings } from './sweep.ts'

export interface EndingWithSweep extends Ending {
  /** After the accounts' own: it ends what has nothing left outside. */
  sweep(signal: AbortSignal): Promise<void>
}

export function ending(deps: PullDeps, accounts: Accounts, rotation: Rotation, issuing: Issuing): EndingWithSweep {
  const all: EndingDeps = { ...deps, accounts, rotation }
  const { lock, database } = deps
  return {
    async remove(clusterId, actor) {
      checkClusterId(clusterId)
      if (!(await clusterRow(database.db, clusterId))) return { registries: {} }
      const hand = { actor, isSweeper: false }
      const by = { caller: actor.name }
      return { registries: await lock.hold(clusterId, (held) => remove(all, clusterId, held, hand), by) }
    },
    async suspend(clusterId, reason, actor) {
      checkClusterId(clusterId)
      checkReason(reason)
      const hand = { actor, isSweeper: false }
      return { registries: await lock.hold(clusterId, (held) => suspend(all, clusterId, reason, held, hand)) }
    },
    async resume(clusterId, reason, actor) {
      checkClusterId(clusterId)
      checkReason(reason)
      await lock.hold(clusterId, (held) => resume(all, clusterId, reason, held, { actor, isSweeper: false }))
      return await issuing.read(clusterId, actor)
    },
    sweep: (signal) => sweepEndings(all, signal),
  }
}
