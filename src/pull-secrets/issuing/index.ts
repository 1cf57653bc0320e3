import type { Accounts } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { recordEvaluation } from '../events/status.ts'
import { failures } from '../failures.ts'
import type { Pool } from '../pool/contract.ts'
import type { GenerateRequest, Issuing, PullSecret } from '../service.ts'
import { transact } from '../store/database.ts'
import { flight } from './flight.ts'
import type { CheckedRequest } from './input.ts'
import { checkClusterId, checkedRequest } from './input.ts'
import { make } from './make.ts'
import type { Served } from './served.ts'
import { serving } from './served.ts'

export type { FieldError } from './input.ts'
export { checkClusterId, checkReason, clusterIdErrors, generateErrors, wrongInput } from './input.ts'

export function issuing(deps: PullDeps, accounts: Accounts, pool: Pool): Issuing {
  const { registries, lock, metrics, database, clock } = deps
  const documents = metrics.counter('lanyard_pull_documents_total', 'Documents handed out, by what was asked', {
    call: ['generate', 'read'],
  })
  const served = serving(deps)
  const making = flight<{ created: boolean }>()

  async function generate(
    request: GenerateRequest,
    actor: Actor,
  ): Promise<{ pullSecret: PullSecret; created: boolean }> {
    const asked = checkedRequest(request, deps)
    const { cluster, sources } = asked
    const there = await served.read(cluster.id, { sources, needed: sources }, actor)
    if (there && isOnRecord(asked, there)) {
      await transact(database.db, (tx) => recordEvaluation(tx, clock.now(), cluster.id, actor))
      documents.inc({ call: 'generate' })
      return { pullSecret: there.pullSecret, created: false }
    }
    const key = JSON.stringify([cluster, sources.map(({ id }) => id)])
    const { outcome, isLeader } = making(key, () =>
      lock.hold(cluster.id, (held) => make({ ...deps, accounts, pool }, asked, held, actor), {
        caller: actor.name,
        isMaking: true,
      }),
    )
    const { created } = await outcome
    const needed = sources.filter(({ required }) => required)
    const made = await served.read(cluster.id, { sources, needed }, actor)
    // Somebody removed it at once.
    if (!made) throw failures.PULL_BUSY({ cluster: cluster.id, retryAfterSeconds: 1 })
    documents.inc({ call: 'generate' })
    return { pullSecret: made.pullSecret, created: created && isLeader }
  }

  return {
    generate,
    async read(clusterId, actor) {
      checkClusterId(clusterId)
      const there = await served.read(clusterId, { sources: registries.sources }, actor)
      if (!there) throw failures.PULL_NO_SECRET({ cluster: clusterId })
      documents.inc({ call: 'read' })
      return there.pullSecret
    },
    async etag(clusterId) {
      checkClusterId(clusterId)
      return await served.etag(clusterId, registries.sources)
    },
  }
}

/** Nothing new was said about the cluster. */
const isOnRecord = ({ cluster }: CheckedRequest, { cluster: known }: Served): boolean =>
  cluster.cloudProvider === known.cloud_provider &&
  cluster.region === known.region &&
  (!cluster.externalResourceId || cluster.externalResourceId === known.external_resource_id) &&
  (!cluster.owner || known.owner !== null)
