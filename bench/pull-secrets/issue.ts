import { quantile } from '../shared/statistics.ts'
import type { BenchServer } from './database.ts'
import type { Part } from './report.ts'
import { goalOf } from './report.ts'
import { generate, openPod, startStandIns } from './scene.ts'

export interface IssueOptions {
  /** First requests, one after the other. */
  requests: number
  latencyMs: number
}

/** The first document of a cluster, at registries that take their time: with accounts made in advance, and without. */
export async function issuePart(
  server: BenchServer,
  { requests, latencyMs }: IssueOptions,
  say: (line: string) => void,
): Promise<Part> {
  const without = await turn(server, { requests, latencyMs, hasPool: false }, say)
  const pooled = await turn(server, { requests, latencyMs, hasPool: true }, say)
  const line = (what: string, { ms, calls }: Turn, goal: string) => ({
    what: `first issue, ${what}, registries at ${latencyMs} ms`,
    measured: `p50 ${quantile(ms, 0.5).toFixed(0)} ms, p95 ${quantile(ms, 0.95).toFixed(0)} ms`,
    beside: `${(calls / ms.length).toFixed(1)} registry calls each`,
    goal,
  })
  return {
    lines: [line('without a pool', without, ''), line('from the pool', pooled, goalOf('0 calls', pooled.calls === 0))],
    values: { without, pooled },
  }
}

interface Turn {
  ms: number[]
  calls: number
}

async function turn(
  server: BenchServer,
  { requests, latencyMs, hasPool }: IssueOptions & { hasPool: boolean },
  say: (line: string) => void,
): Promise<Turn> {
  say(`issue: ${requests} first requests ${hasPool ? 'from a pool' : 'without a pool'}`)
  await using standIns = await startStandIns()
  const url = await server.fresh(hasPool ? 'bench_issue_pool' : 'bench_issue')
  const pool = { high: requests, low: 0, batch: requests, maxIdleDays: 30 }
  await using pod = await openPod({ url, standIns, settings: hasPool ? { pool } : {} })
  if (hasPool) await pod.tick('pool')
  standIns.setLatency(latencyMs)
  const before = standIns.calls()
  const ms: number[] = []
  for (let number = 0; number < requests; number++) {
    const startedAt = performance.now()
    await generate(pod, number)
    ms.push(performance.now() - startedAt)
  }
  return { ms, calls: standIns.calls() - before }
}
