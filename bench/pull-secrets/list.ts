import type pg from 'pg'
import { sampleOf } from '../shared/statistics.ts'
import type { BenchServer } from './database.ts'
import { seedRows } from './fleet.ts'
import type { Part } from './report.ts'
import { shown } from './report.ts'
import type { RestClient } from './rest.ts'
import { serveRest } from './rest.ts'
import { openPod } from './scene.ts'

export interface ListOptions {
  /** Rows of the table, ascending. */
  sizes: readonly number[]
  /** How often each page is asked for. */
  times: number
}

const size = 100

/** A page of `GET /credentials` over HTTP, at the beginning, in the middle and near the end of tables of several sizes. */
export async function listPart(
  server: BenchServer,
  { sizes, times }: ListOptions,
  say: (line: string) => void,
): Promise<Part> {
  await using pod = await openPod({ url: await server.fresh('bench_list') })
  await using rest = await serveRest(pod)
  const { data } = pod.deps.database
  const lines: Part['lines'] = []
  const values: Record<string, unknown> = {}
  let stored = 0
  for (const rows of sizes) {
    say(`list: ${rows} rows`)
    await seedRows(data, stored, rows)
    stored = rows
    const deep = rows - 2 * size
    const pages = {
      first: `/credentials?size=${size}`,
      middle: await pageBehind(data, rows / 2),
      deep: await pageBehind(data, deep),
      byNumber: `/credentials?size=${size}&page=${Math.floor(deep / size)}`,
    }
    const found = Object.fromEntries(
      await inTurn(Object.entries(pages), async ([name, path]) => [name, await timesOf(rest, path, times)] as const),
    )
    const part = (name: keyof typeof pages) => shown(sampleOf(found[name] ?? []), 'ms')
    lines.push({
      what: `a page of ${size} of ${rows.toLocaleString('en')} credentials`,
      measured: `first ${part('first')}, middle ${part('middle')}, deep ${part('deep')}`,
      beside: `deep by its number: ${part('byNumber')}`,
      goal: '',
    })
    values[rows] = found
  }
  return { lines, values }
}

/** As the link of the page before would say it. */
async function pageBehind(pool: pg.Pool, offset: number): Promise<string> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT json_build_array(to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), id::text)::text AS key
       FROM registry_credentials ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $1`,
    [Math.floor(offset)],
  )
  const after = Buffer.from(rows[0]?.key ?? '').toString('base64url')
  return `/credentials?size=${size}&after=${after}`
}

async function timesOf(rest: RestClient, path: string, times: number): Promise<number[]> {
  const ms: number[] = []
  for (let time = -3; time < times; time++) {
    const startedAt = performance.now()
    await rest.get(path)
    if (time >= 0) ms.push(performance.now() - startedAt)
  }
  return ms
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
