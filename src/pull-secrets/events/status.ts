/** Reports of a cluster's pull secret to the HyperFleet API, written with the change or evaluation they tell of. */
import { sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { recordEvent } from '../store/record.ts'
import type { Tx } from '../store/tables.ts'
import type { StatusCondition } from './conditions.ts'
import { conditionsOf } from './conditions.ts'

export type Situation =
  /** Nothing was ever asked for, or it is gone and the cluster lives on. */
  | 'absent'
  | 'creating'
  | 'delivered'
  | 'rotating'
  | 'registry-unavailable'
  | 'suspended'
  | 'resuming'
  | 'deleting'
  /** The cluster itself ends, and nothing of it is left here. */
  | 'deleted'

/** Of the tables, as the transaction sees them. Never a token. */
export interface StatusFacts {
  generation: number
  isDeleting: boolean
  suspension: 'suspending' | 'suspended' | 'resuming' | null
  rotation: { id: string; phase: string } | null
  /** Without one of these nothing is served. */
  needed: readonly string[]
  /** The state of the newest credential of each registry. */
  registries: Readonly<Record<string, string>>
  /** What each sink calls the copy it has. */
  deliveries: Readonly<Record<string, string>>
}

/** What a row of the outbox holds. */
export interface RecordedStatus extends Pick<StatusFacts, 'registries' | 'deliveries'> {
  situation: Situation
  observedTime: string
  conditions: readonly StatusCondition[]
  credentialGeneration: number
  rotation?: { id: string; phase: string }
}

/**
 * Writes a report. To be called in the transaction of every evaluation, also of one that changed nothing: whoever waits
 * for the report asks again and again otherwise. Reports that nobody has sent yet give way to newer ones.
 */
export async function recordStatus(
  tx: Tx,
  now: Date,
  clusterId: string,
  situation: Situation,
  actor?: Actor,
): Promise<void> {
  await write(tx, now, clusterId, situation, await statusFacts(tx, clusterId), actor)
}

/** The same where nobody knows the situation beforehand: it is read from the tables. */
export async function recordEvaluation(tx: Tx, now: Date, clusterId: string, actor?: Actor): Promise<void> {
  const facts = await statusFacts(tx, clusterId)
  await write(tx, now, clusterId, situationOf(facts), facts, actor)
}

async function write(tx: Tx, now: Date, clusterId: string, situation: Situation, facts: StatusFacts, actor?: Actor) {
  const { generation, rotation, registries, deliveries } = facts
  const recorded: RecordedStatus = {
    situation,
    observedTime: now.toISOString(),
    conditions: conditionsOf(situation, isServed(facts)),
    credentialGeneration: generation,
    registries,
    deliveries,
    ...(rotation && { rotation }),
  }
  const data = { ...recorded }
  await recordEvent(tx, now, { channel: 'status', type: 'status', clusterId, data, ...(actor && { actor }) })
}

/** By the rule that documents are served by. */
const isServed = ({ generation, registries, needed, suspension, isDeleting }: StatusFacts): boolean => {
  const has = (state: string | undefined) => state === 'active' || state === 'superseded'
  const isWhole = Object.values(registries).some(has) && needed.every((id) => has(registries[id]))
  return generation > 0 && !suspension && !isDeleting && isWhole
}

export function situationOf(facts: StatusFacts): Situation {
  if (facts.isDeleting) return 'deleting'
  if (facts.suspension) return facts.suspension === 'resuming' ? 'resuming' : 'suspended'
  if (Object.keys(facts.registries).length === 0) return 'absent'
  if (facts.rotation) return 'rotating'
  return isServed(facts) ? 'delivered' : 'creating'
}

async function statusFacts(tx: Tx, clusterId: string): Promise<StatusFacts> {
  const { rows } = await sql<StatusFacts>`
    SELECT
      coalesce((SELECT generation FROM pull_secret_clusters WHERE cluster_id = ${clusterId}), 0) AS "generation",
      coalesce((SELECT needed_registries FROM pull_secret_clusters WHERE cluster_id = ${clusterId}), '{}') AS "needed",
      EXISTS (SELECT FROM pull_secret_clusters WHERE cluster_id = ${clusterId} AND deleting_at IS NOT NULL) AS "isDeleting",
      (SELECT phase FROM cluster_suspensions WHERE cluster_id = ${clusterId}) AS "suspension",
      (SELECT json_build_object('id', id, 'phase', coalesce(phase, status)) FROM pull_secret_rotations
         WHERE cluster_id = ${clusterId} AND status IN ('pending', 'in_progress')) AS "rotation",
      coalesce((SELECT json_object_agg(registry_id, state) FROM (
         SELECT DISTINCT ON (registry_id) registry_id, state FROM registry_credentials
           WHERE account_id = ${clusterId}
           ORDER BY registry_id, (state = 'active') DESC, generation DESC) AS newest), '{}') AS "registries",
      coalesce((SELECT json_object_agg(sink, version) FROM sink_deliveries
         WHERE cluster_id = ${clusterId} AND version IS NOT NULL), '{}') AS "deliveries"`.execute(tx)
  return rows[0] as StatusFacts
}
