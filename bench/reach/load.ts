import { quantile } from '../shared/statistics.ts'

/** Of so many calls, in milliseconds. */
export interface Spread {
  calls: number
  failed: number
  p50: number
  p95: number
  p99: number
  max: number
}

export interface Load<Group extends string> {
  /** Calls a second. They come at their moments, whether those before them were answered or not. */
  rate: number
  forMs: number
  /** What the call of this number goes to. */
  target(number: number): { cluster: number; group: Group }
  call(cluster: number): Promise<unknown>
  now(): number
  sleep(ms: number): Promise<void>
}

/** How long calls took, from the moment each was due: one that had to wait for its turn counts in full. */
export async function steadyLoad<Group extends string>(load: Load<Group>): Promise<Record<Group, Spread>> {
  const { rate, forMs, target, call, now, sleep } = load
  const seen = new Map<Group, { ms: number[]; failed: number }>()
  const underWay: Promise<void>[] = []
  const startedAt = now()
  const one = async (number: number) => {
    const { cluster, group } = target(number)
    const dueAt = startedAt + (number * 1_000) / rate
    const found = seen.get(group) ?? { ms: [], failed: 0 }
    seen.set(group, found)
    try {
      await call(cluster)
    } catch {
      found.failed += 1
    }
    found.ms.push(now() - dueAt)
  }
  const total = Math.floor((rate * forMs) / 1_000)
  for (let number = 0; number < total; ) {
    const due = Math.min(total, Math.floor(((now() - startedAt) * rate) / 1_000) + 1)
    while (number < due) underWay.push(one(number++))
    await sleep(2)
  }
  await Promise.all(underWay)
  const spreads = [...seen].map(([group, { ms, failed }]) => [group, spreadOf(ms, failed)] as const)
  return Object.fromEntries(spreads) as Record<Group, Spread>
}

export const spreadOf = (ms: readonly number[], failed = 0): Spread => ({
  calls: ms.length,
  failed,
  p50: quantile(ms, 0.5),
  p95: quantile(ms, 0.95),
  p99: quantile(ms, 0.99),
  max: quantile(ms, 1),
})
