import { createHash } from 'node:crypto'
import type { FieldError } from '../../fleet/rest.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { uuidV7 } from '../ids.ts'
import { checkClusterId } from '../issuing/index.ts'
import type { RotationRequest, RotationView } from '../service.ts'
import { transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import type { Db, Tx } from '../store/tables.ts'
import type { RotationRow } from './rows.ts'
import { isImmediate, openStatuses, viewOf } from './rows.ts'

const reasonsKnown: readonly string[] = ['scheduled', 'compromise', 'manual']
export const keyLifeMs = 86_400_000

type RequestDeps = Pick<PullDeps, 'database' | 'clock' | 'settings'>

/**
 * Writes a rotation down; the loop does the work. No cluster lock: the unique index lets one in, and a suspension that
 * comes in between is seen by the first step.
 */
export async function requestRotation(
  deps: RequestDeps,
  request: RotationRequest,
  actor: Actor,
): Promise<{ rotation: RotationView; isNew: boolean }> {
  checkRequest(request)
  const { db } = deps.database
  const before = await repeated(deps, request)
  if (before) return { rotation: viewOf(before), isNew: false }
  const made = await transact(db, async (tx) => {
    await checkCluster(tx, request.clusterId)
    return writeRotation(tx, deps, request, actor)
  })
  if (made) return { rotation: viewOf(made), isNew: true }
  // Somebody was faster: perhaps the same request a second time.
  const first = await repeated(deps, request)
  if (first) return { rotation: viewOf(first), isNew: false }
  const open = await openRotation(db, request.clusterId)
  throw failures.PULL_ROTATION_OPEN({ cluster: request.clusterId, rotation: open?.id ?? request.eventId ?? '' })
}

function checkRequest({ clusterId, reason, forceImmediate, revokeFirst, idempotencyKey }: RotationRequest): void {
  checkClusterId(clusterId)
  const errors: FieldError[] = []
  if (!reasonsKnown.includes(reason))
    errors.push({ field: 'reason', constraint: 'enum', message: `must be one of ${reasonsKnown.join(', ')}` })
  if (revokeFirst && !isImmediate({ reason, force_immediate: forceImmediate ?? false }))
    errors.push({
      field: 'revoke_first',
      constraint: 'enum',
      message: 'needs force_immediate, or the reason compromise',
    })
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > 255))
    errors.push({ ...keyField, constraint: 'max_length', message: 'must have 1 to 255 characters' })
  if (errors.length > 0) throw wrongInput(errors)
}

const keyField = { field: 'Idempotency-Key' }

const wrongInput = (errors: readonly FieldError[]) =>
  failures.PULL_INPUT({
    count: errors.length,
    fields: errors.map(({ field, message }) => `${field} ${message}`).join('; '),
    ...{ errors },
  })

async function checkCluster(tx: Tx, clusterId: string): Promise<void> {
  const cluster = await tx
    .selectFrom('pull_secret_clusters as c')
    .leftJoin('cluster_suspensions as s', 's.cluster_id', 'c.cluster_id')
    .select(['c.deleting_at', 'c.generation', 's.cluster_id as suspended'])
    .where('c.cluster_id', '=', clusterId)
    .executeTakeFirst()
  if (!cluster) throw failures.PULL_NO_CLUSTER({ cluster: clusterId })
  if (cluster.suspended) throw failures.PULL_SUSPENDED({ cluster: clusterId })
  if (cluster.deleting_at) throw failures.PULL_DELETING({ cluster: clusterId })
  const credential = await tx
    .selectFrom('registry_credentials')
    .select('id')
    .where('account_id', '=', clusterId)
    .where('state', 'in', ['active', 'superseded'])
    .limit(1)
    .executeTakeFirst()
  // Before its first whole document nothing is served, and a rotation must not change that.
  if (!credential || cluster.generation === 0) throw failures.PULL_NO_SECRET({ cluster: clusterId })
}

/** Undefined when the cluster has an open one, or the event or the key was used at the same moment. */
export async function writeRotation(
  tx: Tx,
  { clock, settings }: Pick<RequestDeps, 'clock' | 'settings'>,
  request: RotationRequest & { registries?: readonly string[]; policyDays?: number },
  actor: Actor,
): Promise<RotationRow | undefined> {
  const now = clock.now()
  const row = await tx
    .insertInto('pull_secret_rotations')
    .values({
      id: uuidV7(now),
      cluster_id: request.clusterId,
      status: 'pending',
      phase: null,
      reason: request.reason,
      force_immediate: request.forceImmediate ?? false,
      revoke_first: request.revokeFirst ?? false,
      policy_days: request.policyDays ?? settings.rotation.policyDays,
      registries: request.registries ? [...request.registries] : null,
      requested_by: actor.name,
      event_id: request.eventId ?? null,
      // The clock that grace and history are measured by.
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  if (request.idempotencyKey !== undefined) await keepKey(tx, now, request, row.id)
  await recordAudit(tx, now, {
    action: 'rotate',
    actor,
    clusterId: request.clusterId,
    reason: `requested: ${request.reason}`,
  })
  return row
}

async function keepKey(tx: Tx, now: Date, request: RotationRequest, rotationId: string): Promise<void> {
  const values = { request_hash: hashOf(request), rotation_id: rotationId, created_at: now }
  await tx
    .insertInto('idempotency_keys')
    .values({ scope: scopeOf(request), key: request.idempotencyKey as string, ...values })
    // One of more than a day ago: `repeated` found it too old to count.
    .onConflict((conflict) => conflict.columns(['scope', 'key']).doUpdateSet(values))
    .execute()
}

const scopeOf = ({ clusterId }: RotationRequest): string => `rotation/${clusterId}`

const hashOf = ({ clusterId, reason, forceImmediate = false, revokeFirst = false }: RotationRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([clusterId, reason, forceImmediate, revokeFirst]))
    .digest('hex')

/** The rotation that the same key or the same event asked for before. */
async function repeated({ database, clock }: RequestDeps, request: RotationRequest): Promise<RotationRow | undefined> {
  const { db } = database
  if (request.eventId !== undefined) {
    const row = await db
      .selectFrom('pull_secret_rotations')
      .selectAll()
      .where('event_id', '=', request.eventId)
      .executeTakeFirst()
    if (row) return row
  }
  if (request.idempotencyKey === undefined) return undefined
  const used = await db
    .selectFrom('idempotency_keys as k')
    .innerJoin('pull_secret_rotations as r', 'r.id', 'k.rotation_id')
    .selectAll('r')
    .select('k.request_hash')
    .where('k.scope', '=', scopeOf(request))
    .where('k.key', '=', request.idempotencyKey)
    .where('k.created_at', '>', new Date(clock.now().getTime() - keyLifeMs))
    .executeTakeFirst()
  if (!used) return undefined
  const { request_hash, ...row } = used
  if (request_hash !== hashOf(request))
    throw wrongInput([{ ...keyField, constraint: 'unique', message: 'was used for another request within a day' }])
  return row
}

export async function openRotation(db: Db | Tx, clusterId: string): Promise<RotationRow | undefined> {
  return db
    .selectFrom('pull_secret_rotations')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('status', 'in', openStatuses)
    .executeTakeFirst()
}
