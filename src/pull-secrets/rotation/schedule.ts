import { sql } from 'kysely'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import { transact } from '../store/database.ts'
import { expiryDueAt, policyDueAt } from './due.ts'
import { writeRotation } from './request.ts'
import { openStatuses } from './rows.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const page = 2_000

export interface Aged {
  cluster_id: string
  policy_days: number | null
  registry_id: string
  issued_at: Date
  expires_at: Date | null
}

export interface Due {
  clusterId: string
  at: Date
  policyDays: number
  /** Only these, when it is not the policy but the end of their life that asks. */
  registries?: string[]
}

/**
 * Whether and since when a cluster is due, by its active credentials. The policy looks at those a document needs: an
 * optional registry that cannot be renewed shall not make the others turn over again and again.
 */
export function clusterDue(
  credentials: readonly Aged[],
  required: ReadonlySet<string>,
  { policyDays, jitter }: { policyDays: number; jitter: number },
  now: Date,
): Due | undefined {
  const first = credentials[0]
  if (!first) return undefined
  const clusterId = first.cluster_id
  const days = first.policy_days ?? policyDays
  const aging = credentials.map((one) => ({
    registryId: one.registry_id,
    clusterId,
    issuedAt: one.issued_at,
    ...(one.expires_at && { expiresAt: one.expires_at }),
  }))
  const needed = aging.filter(({ registryId }) => required.has(registryId))
  const byPolicy = (needed.length > 0 ? needed : aging).map((one) => policyDueAt(one, days, jitter)).sort(byTime)[0]
  if (byPolicy && byPolicy <= now) return { clusterId, at: byPolicy, policyDays: days }
  const ending = aging
    .map((one) => ({ registryId: one.registryId, at: expiryDueAt(one, jitter) }))
    .filter((one): one is { registryId: string; at: Date } => one.at !== undefined && one.at <= now)
    .sort((a, b) => byTime(a.at, b.at))
  const earliest = ending[0]
  return earliest && { clusterId, at: earliest.at, policyDays: days, registries: ending.map((one) => one.registryId) }
}

const byTime = (a: Date, b: Date) => a.getTime() - b.getTime()

/** Starts the rotations that the policy asks for; one process at a time. */
export function scheduleLoop(deps: PullDeps): Loop {
  const actor = loopActor('schedule')
  const { rotation } = deps.settings
  return {
    name: 'schedule',
    everyMs: deps.settings.loops.scheduleMs,
    async tick(signal) {
      await deps.lock.tryHold('schedule', async (held) => {
        const allowed = await startsLeft(deps)
        if (allowed === 0) return
        const due = await dueClusters(deps, AbortSignal.any([held, signal]))
        // Whoever is overdue longest comes first when not all may.
        const starting = due.sort((a, b) => byTime(a.at, b.at)).slice(0, allowed)
        for (const { clusterId, policyDays, registries } of starting) {
          if (held.aborted || signal.aborted) return
          const request = {
            clusterId,
            reason: 'scheduled' as const,
            policyDays,
            ...(registries && { registries }),
          }
          await transact(deps.database.db, (tx) => writeRotation(tx, deps, request, actor))
        }
        if (due.length > starting.length)
          deps.log.info(
            { waiting: due.length - starting.length, maxPerHour: rotation.maxPerHour },
            'scheduled rotations wait for the next hour',
          )
      })
    },
  }
}

async function startsLeft({ database: { db }, clock, settings }: PullDeps): Promise<number> {
  const { maxPerHour } = settings.rotation
  if (maxPerHour === 0) return Number.POSITIVE_INFINITY
  const { started } = await db
    .selectFrom('pull_secret_rotations')
    .select((select) => select.fn.countAll<string>().as('started'))
    .where('reason', '=', 'scheduled')
    .where('created_at', '>', new Date(clock.now().getTime() - hourMs))
    .executeTakeFirstOrThrow()
  return Math.max(0, maxPerHour - Number(started))
}

async function dueClusters(deps: PullDeps, signal: AbortSignal): Promise<Due[]> {
  const required = new Set(deps.registries.sources.filter((one) => one.required).map(({ id }) => id))
  const due: Due[] = []
  let after = ''
  while (!signal.aborted) {
    const rows = await agedCredentials(deps, after)
    const byCluster = Map.groupBy(rows, (row) => row.cluster_id)
    const last = rows.at(-1)?.cluster_id
    // The last one of a full page may go on in the next.
    const isLastPage = rows.length < page
    for (const [clusterId, credentials] of byCluster) {
      if (!isLastPage && clusterId === last && byCluster.size > 1) continue
      const one = clusterDue(credentials, required, deps.settings.rotation, deps.clock.now())
      if (one) due.push(one)
      after = clusterId
    }
    if (isLastPage) break
  }
  return due
}

/**
 * The active credentials of clusters that have one old enough to be looked at: in the last day or tenth before what asks
 * for its rotation. Clusters that are suspended, being deleted, being rotated, or whose scheduled rotation failed within a
 * day are not among them.
 */
async function agedCredentials({ database: { db }, clock, settings }: PullDeps, after: string): Promise<Aged[]> {
  const now = clock.now()
  const { policyDays } = settings.rotation
  const isOld = sql<boolean>`exists (
    select 1 from registry_credentials o
    where o.account_id = c.cluster_id and o.state = 'active' and (
      coalesce(o.issued_at, o.created_at) <=
        ${now}::timestamptz - make_interval(days => coalesce(c.policy_days, ${policyDays}::int) - 1)
      or coalesce(o.issued_at, o.created_at) + (o.expires_at - coalesce(o.issued_at, o.created_at)) / 2
        <= ${now}::timestamptz))`
  return db
    .selectFrom('pull_secret_clusters as c')
    .innerJoin('registry_credentials as r', 'r.account_id', 'c.cluster_id')
    .select(['c.cluster_id', 'c.policy_days', 'r.registry_id', 'r.expires_at'])
    .select(sql<Date>`coalesce(r.issued_at, r.created_at)`.as('issued_at'))
    .where('c.cluster_id', '>', after)
    .where('c.deleting_at', 'is', null)
    .where('c.generation', '>', 0)
    .where('r.state', '=', 'active')
    .where(isOld)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('cluster_suspensions as s').select('s.cluster_id').whereRef('s.cluster_id', '=', 'c.cluster_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('pull_secret_rotations as p')
            .select('p.id')
            .whereRef('p.cluster_id', '=', 'c.cluster_id')
            .where((where) =>
              where.or([
                where('p.status', 'in', openStatuses),
                where.and([
                  where('p.reason', '=', 'scheduled'),
                  where('p.status', '=', 'failed'),
                  where('p.updated_at', '>', new Date(now.getTime() - dayMs)),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('c.cluster_id')
    .orderBy('r.registry_id')
    .limit(page)
    .execute()
}
