import type { BenchServer } from './database.ts'
import type { Part } from './report.ts'
import { goalOf } from './report.ts'
import { generate, newRing, openPod, startStandIns } from './scene.ts'

export interface CrowdOptions {
  requests: number
  latencyMs: number
}

/** All want the first document of one cluster at the same moment, half of them from another process. */
export async function crowdPart(
  server: BenchServer,
  { requests, latencyMs }: CrowdOptions,
  say: (line: string) => void,
): Promise<Part> {
  await using standIns = await startStandIns()
  const common = { url: await server.fresh('bench_crowd'), ring: newRing(), standIns }
  await using one = await openPod(common)
  await using other = await openPod(common)
  // Both are connected and warm; the cluster of the crowd is new.
  for (const [number, pod] of [one, other].entries()) await generate(pod, number)
  const before = { accounts: accountsOf(standIns), calls: standIns.calls() }
  standIns.setLatency(latencyMs)
  say(`crowd: ${requests} first requests for one cluster`)
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, number) => generate(number % 2 === 0 ? one : other, 2)),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const made = accountsOf(standIns).map((count, at) => count - (before.accounts[at] ?? 0))
  const documents = new Set(answers.map(({ pullSecret }) => pullSecret.document.hash)).size
  const calls = standIns.calls() - before.calls
  return {
    lines: [
      {
        what: `${requests} first requests at once for one cluster at two processes, registries at ${latencyMs} ms`,
        measured: `${seconds.toFixed(2)} s until the last has it`,
        beside: `${calls} registry calls, ${documents} document`,
        goal: '',
      },
      {
        what: 'of that, accounts made at each registry',
        measured: made.join(' and '),
        beside: '',
        goal: goalOf('1 each', made.every((count) => count === 1) && documents === 1),
      },
    ],
    values: { seconds, made, documents, calls },
  }
}

const accountsOf = ({ quay, redhat }: Pick<Awaited<ReturnType<typeof startStandIns>>, 'quay' | 'redhat'>) => [
  quay.accounts().length,
  redhat.accounts().length,
]
