/** What CloudEvents ask of us, whichever way they came. Each has its effect once. */
import { isFailure } from '../../core/failure.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import type { PullSecretService } from '../service.ts'
import { transact } from '../store/database.ts'
import type { RotationReason, Tx } from '../store/tables.ts'
import { sqlState } from '../store/trouble.ts'
import type { CloudEvent } from './cloud-event.ts'
import { isRecord } from './cloud-event.ts'
import type { Hyperfleet, SeenCluster } from './hyperfleet.ts'
import { recordEvaluation, recordStatus } from './status.ts'

export const intakeResults = ['done', 'repeated', 'ignored', 'malformed', 'refused', 'failed'] as const
export type IntakeResult = (typeof intakeResults)[number]

export const rotateType = 'com.redhat.hyperfleet.pullsecret.rotate.v1'
/** One in the code of the sender, two in its documentation. */
export const reconcileTypes = [
  'com.redhat.hyperfleet.cluster.reconcile',
  'com.redhat.hyperfleet.cluster.reconcile.v1',
  'com.redhat.hyperfleet.clusters.reconcile.v1',
] as const

export interface IntakeDeps extends Pick<PullDeps, 'database' | 'clock' | 'log' | 'metrics'> {
  service: Pick<PullSecretService, 'rotating' | 'ending'>
  /** Asked for what an event leaves out. */
  api?: Hyperfleet
}

export interface Intake {
  /**
   * Resolves for what is to be acknowledged: it happened, it never will, or it is not ours to act on. Rejects for what is
   * to come again: the database is away, a cluster is busy, the HyperFleet API does not answer.
   */
  take(read: () => CloudEvent, signal: AbortSignal): Promise<Exclude<IntakeResult, 'failed'>>
}

export function intake(deps: IntakeDeps): Intake {
  const { log, metrics } = deps
  const taken = metrics.counter('lanyard_pull_events_taken_total', 'CloudEvents that came, by what became of them', {
    result: intakeResults,
  })
  const counted = <R extends IntakeResult>(result: R): R => {
    taken.inc({ result })
    return result
  }
  return {
    async take(read, signal) {
      let event: CloudEvent | undefined
      try {
        event = read()
        return counted(await effectOf(event, deps, signal))
      } catch (error) {
        const known = { type: event?.type, source: event?.source, id: event?.id }
        if (isHopeless(error)) {
          log.warn({ err: error, ...known }, 'an event cannot be acted on; it is acknowledged')
          if (event) await report(event, deps)
          return counted(isFailure(error) && error.code !== 'EVENT_MALFORMED' ? 'refused' : 'malformed')
        }
        log.warn({ err: error, ...known }, 'an event has to come again')
        counted('failed')
        throw error
      }
    },
  }
}

/**
 * To send it again would not help. That goes for what the database cannot hold as well (SQLSTATE classes 22, 54): it would
 * come back for ever, and take the place of others.
 */
const isHopeless = (error: unknown): boolean =>
  isFailure(error) ? error.status < 500 : /^(?:22|54)/.test(sqlState(error) ?? '')

async function effectOf(event: CloudEvent, deps: IntakeDeps, signal: AbortSignal) {
  const isReconcile = (reconcileTypes as readonly string[]).includes(event.type)
  if (event.type !== rotateType && !isReconcile) return 'ignored'
  if (await isProcessed(event, deps)) return 'repeated'
  return isReconcile ? await reconcile(event, deps, signal) : await rotate(event, deps)
}

const actorOf = (event: CloudEvent): Actor => ({
  name: `event:${event.source}`,
  ...(event.traceparent && { traceparent: event.traceparent, ...traceIdOf(event.traceparent) }),
})

const traceIdOf = (traceparent: string) => {
  const traceId = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent)?.[1]
  return traceId ? { traceId } : {}
}

const reasons: readonly RotationReason[] = ['scheduled', 'compromise', 'manual']

/** The rotation itself remembers the event it came from, so that a crash right after it doubles nothing. */
async function rotate(event: CloudEvent, deps: IntakeDeps): Promise<'done' | 'repeated'> {
  const data = dataOf(event)
  const reason = data['reason'] ?? 'manual'
  if (!reasons.includes(reason as RotationReason))
    throw failures.EVENT_MALFORMED({ detail: 'data.reason is not known' })
  const force = data['force_immediate'] ?? false
  if (typeof force !== 'boolean') throw failures.EVENT_MALFORMED({ detail: 'data.force_immediate is no boolean' })
  const request = {
    clusterId: clusterIdOf(data, 'cluster_id'),
    reason: reason as RotationReason,
    forceImmediate: force,
    eventId: keyOf(event),
  }
  const { isNew } = await deps.service.rotating.request(request, actorOf(event))
  await transact(deps.database.db, (tx) => markProcessed(tx, event))
  return isNew ? 'done' : 'repeated'
}

async function reconcile(event: CloudEvent, deps: IntakeDeps, signal: AbortSignal): Promise<'done' | 'repeated'> {
  const { clock, database, service } = deps
  const data = dataOf(event)
  const clusterId = clusterIdOf(data, 'id', 'resource_id', 'cluster_id')
  const seen = await seenCluster(clusterId, data, deps.api, signal)
  const actor = actorOf(event)
  const progress = seen.isDeleted ? (await service.ending.remove(clusterId, actor)).registries : {}
  return await transact(database.db, async (tx) => {
    if (!(await markProcessed(tx, event))) return 'repeated'
    await observe(tx, clusterId, seen.generation)
    if (!seen.isDeleted) await recordEvaluation(tx, clock.now(), clusterId, actor)
    else await recordStatus(tx, clock.now(), clusterId, isPending(progress) ? 'deleting' : 'deleted', actor)
    return 'done'
  })
}

const isPending = (progress: Readonly<Record<string, string>>) => Object.values(progress).includes('pending')

/** Events are thin by convention; what they leave out, the API knows. */
async function seenCluster(
  id: string,
  data: Record<string, unknown>,
  api: Hyperfleet | undefined,
  signal: AbortSignal,
): Promise<{ generation?: number; isDeleted: boolean }> {
  const generation = data['generation']
  const told = typeof generation === 'number' && Number.isInteger(generation) ? { generation } : {}
  if (typeof data['deleted_time'] === 'string') return { ...told, isDeleted: true }
  const asked: SeenCluster | undefined = await api?.cluster(id, signal)
  return { isDeleted: false, ...told, ...asked }
}

async function observe(tx: Tx, clusterId: string, generation: number | undefined): Promise<void> {
  if (generation === undefined) return
  await tx
    .insertInto('cluster_observations')
    .values({ cluster_id: clusterId, generation })
    .onConflict((conflict) =>
      conflict
        .column('cluster_id')
        .doUpdateSet({ generation })
        // Events may overtake each other.
        .where('cluster_observations.generation', '<', generation),
    )
    .execute()
}

/** Where a cluster is named, whoever waits for it learns that its event came to nothing. */
async function report(event: CloudEvent, { database, clock, log }: IntakeDeps): Promise<void> {
  const data = isRecord(event.data) ? event.data : {}
  const named = [data['cluster_id'], data['id'], data['resource_id']].find(isClusterId)
  if (named === undefined) return
  await transact(database.db, async (tx) => {
    if (await markProcessed(tx, event)) await recordEvaluation(tx, clock.now(), named, actorOf(event))
  }).catch((error: unknown) => log.warn({ err: error }, 'a report of an event could not be recorded'))
}

function dataOf({ data }: CloudEvent): Record<string, unknown> {
  if (!isRecord(data)) throw failures.EVENT_MALFORMED({ detail: 'its data is no JSON object' })
  return data
}

const clusterIdPattern = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/
const isClusterId = (value: unknown): value is string =>
  typeof value === 'string' && clusterIdPattern.test(value) && !value.includes('..')

function clusterIdOf(data: Record<string, unknown>, ...fields: string[]): string {
  const id = fields.map((field) => data[field]).find((value) => value !== undefined)
  if (!isClusterId(id)) throw failures.EVENT_MALFORMED({ detail: `data.${fields[0]} is no id of a cluster` })
  return id
}

const keyOf = ({ source, id }: CloudEvent): string => `${source}#${id}`

async function isProcessed({ source, id }: CloudEvent, { database }: IntakeDeps): Promise<boolean> {
  const found = await database.db
    .selectFrom('processed_events')
    .select('id')
    .where('source', '=', source)
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

/** False: somebody else has had it. */
async function markProcessed(tx: Tx, { source, id }: CloudEvent): Promise<boolean> {
  const marked = await tx
    .insertInto('processed_events')
    .values({ source, id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (marked.numInsertedOrUpdatedRows ?? 0n) > 0n
}
