import { inParallel } from '../shared/timing.ts'
import type { BenchServer } from './database.ts'
import { clusterName } from './fleet.ts'
import { mostWithin } from './pace.ts'
import type { Part } from './report.ts'
import { goalOf } from './report.ts'
import type { Pod, Rate } from './scene.ts'
import { actor, generate, newRing, openPod, startStandIns } from './scene.ts'

export interface RotateOptions {
  rate: Rate
  /** One after the other. */
  fleets: readonly Fleet[]
}

interface Fleet {
  clusters: number
  /** That a registry takes for a call. */
  latencyMs: number
}

/** Nothing takes more looks than this; a fleet that does is stuck. */
const mostTicks = 50

/** A fleet whose credentials all have to be replaced now, at registries that allow so many calls a second. */
export async function rotatePart(
  server: BenchServer,
  { rate, fleets }: RotateOptions,
  say: (line: string) => void,
): Promise<Part> {
  const parts: Part[] = []
  for (const fleet of fleets) parts.push(await rotated(server, rate, fleet, say))
  return { lines: parts.flatMap(({ lines }) => lines), values: parts.map(({ values }) => values) }
}

async function rotated(
  server: BenchServer,
  rate: Rate,
  { clusters, latencyMs }: Fleet,
  say: (line: string) => void,
): Promise<Part> {
  await using standIns = await startStandIns()
  const common = { url: await server.fresh(`bench_rotate_${latencyMs}`), ring: newRing(), standIns }
  say(`rotate: ${clusters} clusters get their credentials`)
  {
    await using pod = await openPod(common)
    await inParallel(clusters, 8, (number) => generate(pod, number))
  }
  await using pod = await openPod({ ...common, rate })
  const request = (number: number) =>
    pod.service.rotating.request({ clusterId: clusterName(number), reason: 'compromise', forceImmediate: true }, actor)
  await inParallel(clusters, 8, request)
  standIns.setLatency(latencyMs)
  const before = { quay: standIns.quay.calls.length, redhat: standIns.redhat.calls.length }
  say(`rotate: all of them, at ${rate.rps} calls a second of ${latencyMs} ms`)
  const startedAt = performance.now()
  for (let tick = 0; (await openOnes(pod)) > 0; tick++) {
    if (tick === mostTicks) throw new Error('rotations do not end')
    await pod.tick('rotation')
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const moments = (['quay', 'redhat'] as const).map((id) =>
    standIns[id].calls.slice(before[id]).map(({ at }) => at.getTime()),
  )
  const calls = moments.map(({ length }) => length)
  const floor = Math.max(0, ...calls.map((count) => (count - rate.burst) / rate.rps))
  const most = Math.max(...moments.map((ofOne) => mostWithin(ofOne, 1_000)))
  const allowed = rate.rps + rate.burst
  return {
    lines: [
      {
        what: `${clusters.toLocaleString('en')} clusters rotated, old accounts removed, registries at ${latencyMs} ms and ${rate.rps} calls a second`,
        measured: `${seconds.toFixed(1)} s`,
        beside: `${floor.toFixed(1)} s for ${calls.join(' and ')} calls at that rate, ${(seconds / floor).toFixed(2)}×`,
        goal: '',
      },
      {
        what: 'of that, most calls to one registry within any second',
        measured: String(most),
        beside: `${rate.rps}, and ${rate.burst} at once after a rest`,
        goal: goalOf(`≤ ${allowed}`, most <= allowed),
      },
    ],
    values: { clusters, latencyMs, seconds, floor, calls, most },
  }
}

async function openOnes({ deps: { database } }: Pod): Promise<number> {
  const { rows } = await database.data.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pull_secret_rotations WHERE status IN ('pending', 'in_progress')`,
  )
  return rows[0]?.open ?? 0
}
