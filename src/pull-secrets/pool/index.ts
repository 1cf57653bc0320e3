import type { Accounts } from '../accounts/index.ts'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import type { PoolView } from '../service.ts'
import type { Pool } from './contract.ts'
import type { Filling } from './fill.ts'
import { isPassing, tend } from './fill.ts'
import { levelOf, poolMetrics, viewOfPool } from './levels.ts'
import { take } from './take.ts'

export function pool(deps: PullDeps, accounts: Accounts): Pool {
  const { registries, lock, log } = deps
  const settings = deps.settings.pool
  const metrics = poolMetrics(deps)
  const view = async (id: string): Promise<PoolView> => viewOfPool(id, await levelOf(deps.database.db, id), settings)
  const tendAlone = (filling: Filling, id: string, signal?: AbortSignal) =>
    lock.tryHold(`pool/${id}`, (held) => tend(filling, id, signal ? AbortSignal.any([held, signal]) : held))

  return {
    async take(cluster, registryId, actor) {
      if (!settings) return undefined
      const taken = await take(deps, settings, cluster, registryId, actor)
      metrics.assigned.inc({ result: taken ? 'hit' : 'miss' })
      return taken
    },

    list: async () => (settings ? Promise.all(registries.sources.map(({ id }) => view(id))) : []),

    async fill(registryId, actor) {
      const entry = registries.find(registryId)
      // What shows another's credential has no pool.
      if (!entry || entry.credentialSource) throw failures.PULL_NO_REGISTRY({ registry: registryId })
      if (settings) await tendAlone({ deps, accounts, settings, metrics, actor }, entry.id)
      return view(entry.id)
    },

    loop: {
      name: 'pool',
      everyMs: deps.settings.loops.poolMs,
      async tick(signal) {
        if (!settings) return
        const filling = { deps, accounts, settings, metrics, actor: loopActor('pool') }
        // All at once: each goes by its own registry's pace.
        await Promise.all(
          registries.sources.map(async ({ id }) => {
            try {
              await tendAlone(filling, id, signal)
            } catch (error) {
              if (!signal.aborted)
                log[isPassing(error) ? 'info' : 'error']({ err: error, registry: id }, 'the pool was not filled')
            }
          }),
        )
      },
    },
  }
}
