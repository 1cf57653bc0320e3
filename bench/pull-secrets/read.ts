import pg from 'pg'
import type { Figure } from '../shared/rows.ts'
import { rowOf } from '../shared/rows.ts'
import { inParallel } from '../shared/timing.ts'
import type { BenchServer } from './database.ts'
import { clusterName, seedFleet } from './fleet.ts'
import type { Part } from './report.ts'
import { goalOf, shown } from './report.ts'
import { serveRest } from './rest.ts'
import { actor, dataConnections, openPod } from './scene.ts'

export interface ReadOptions {
  clusters: number
  rounds: number
  /** How many ask at once, one after the other. */
  callers: readonly number[]
  /** For so long each, in a round. */
  seconds: number
}

const goal = 0.5

/** The rows that a document is made of, by whoever needs nothing else: no query for them can be simpler. */
const bareSelect = {
  name: 'bench-bare-select',
  text: `SELECT id, registry_id, username, token, hyperfleet_instance_id, generation, state, created_at, issued_at, expires_at
    FROM registry_credentials WHERE account_id = $1 AND state = 'active'`,
}

/** The same with an entry of the audit log for each row, in one statement: a commit for each read. */
const auditedSelect = {
  name: 'bench-audited-select',
  text: `WITH found AS MATERIALIZED (${bareSelect.text}), noted AS (
      INSERT INTO credential_audit_log (id, cluster_id, credential_id, registry_id, actor, action)
        SELECT gen_random_uuid(), $1, id, registry_id, 'bench', 'read' FROM found)
    SELECT * FROM found`,
}

type Side = 'service' | 'rest' | 'bare' | 'audited'
const sides: readonly Side[] = ['service', 'bare', 'rest', 'audited']

/** Documents that exist already, read again and again, beside the rows alone. */
export async function readPart(
  server: BenchServer,
  { clusters, rounds, callers, seconds }: ReadOptions,
  say: (line: string) => void,
): Promise<Part> {
  const url = await server.fresh('bench_read')
  await using pod = await openPod({ url })
  const { database, vault } = pod.deps
  await seedFleet(database.data, vault, clusters)
  await using rest = await serveRest(pod)
  const bare = new pg.Pool({ connectionString: url, max: dataConnections }).on('error', () => {})
  const select = async (statement: typeof bareSelect, cluster: string) => {
    const { rows } = await bare.query({ ...statement, values: [cluster] })
    if (rows.length !== 2) throw new Error(`${rows.length} rows of ${cluster}`)
  }
  const reads: Record<Side, (cluster: string) => Promise<unknown>> = {
    service: (cluster) => pod.service.issuing.read(cluster, actor),
    rest: (cluster) => rest.get(`/clusters/${cluster}/pull-secrets`),
    bare: (cluster) => select(bareSelect, cluster),
    audited: (cluster) => select(auditedSelect, cluster),
  }
  let next = 0
  const perSecond = async (side: Side, atOnce: number, forMs: number): Promise<number> => {
    const startedAt = performance.now()
    let count = 0
    await inParallel(atOnce, atOnce, async () => {
      while (performance.now() - startedAt < forMs) {
        await reads[side](clusterName(next++ % clusters))
        count += 1
      }
    })
    return (count * 1_000) / (performance.now() - startedAt)
  }
  try {
    for (const side of sides) await perSecond(side, 16, 500)
    const lines: Part['lines'] = []
    const values: Record<string, unknown> = {}
    for (const atOnce of callers) {
      const rates: Record<Side, number[]> = { service: [], rest: [], bare: [], audited: [] }
      for (let round = 0; round < rounds; round++) {
        say(`read: ${atOnce} at once, round ${round + 1} of ${rounds}`)
        for (const side of round % 2 === 0 ? sides : sides.toReversed())
          rates[side].push(await perSecond(side, atOnce, seconds * 1_000))
      }
      const titled = (title: string, ours: Side, aim: boolean) => {
        const row = rowOf(rate, { ours: rates[ours], theirs: rates.bare })
        return {
          what: `${title}, ${atOnce} at once`,
          measured: shown(row.ours, '/s'),
          beside: `${shown(row.theirs, '/s')} of the bare select, ${row.ratio.toFixed(2)}×`,
          goal: aim ? goalOf(`≥ ${goal}×`, row.ratio >= goal) : '',
        }
      }
      lines.push(
        titled('read a document', 'service', true),
        titled('the same over HTTP', 'rest', false),
        titled('the bare select with its audit entries, a commit each', 'audited', false),
      )
      values[atOnce] = rates
    }
    return { lines, values }
  } finally {
    await bare.end()
  }
}

const rate: Figure<number> = { id: 'reads', title: 'reads', unit: '/s', better: 'more', read: (value) => value }
