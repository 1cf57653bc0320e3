import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { uuidV7 } from '../ids.ts'
import { gather } from './gather.ts'

interface Entry {
  clusterId: string
  credentialId: string
  registryId: string
  actor: Actor
}

const insert = {
  name: 'lanyard-audit-reads',
  text: `INSERT INTO credential_audit_log (id, cluster_id, credential_id, registry_id, actor, trace_id, action)
    SELECT *, 'read' FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[])`,
}

/** One write at a time: what comes meanwhile is written together. */
const gathering = { atOnce: 1, most: 1_000 }

/** Writes down who read which token, before the token is handed out. */
export function readAudit({ database, clock }: Pick<PullDeps, 'database' | 'clock'>) {
  return gather(gathering, async (reads: readonly (readonly Entry[])[]): Promise<undefined[]> => {
    await database.data.query({ ...insert, values: columns(reads.flat(), clock.now()) })
    return []
  })
}

const columns = (entries: readonly Entry[], now: Date): unknown[] => [
  entries.map(() => uuidV7(now)),
  entries.map(({ clusterId }) => clusterId),
  entries.map(({ credentialId }) => credentialId),
  entries.map(({ registryId }) => registryId),
  entries.map(({ actor }) => actor.name),
  entries.map(({ actor }) => actor.traceId ?? null),
]
