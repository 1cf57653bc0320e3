/** Every run after the warm-ups: wall time, and the processor time that the program itself used. */
export interface Timed {
  ms: number[]
  cpuMs: number[]
}

/** Runs `work` some times unmeasured, then measured. */
export async function timed({ warmups, times }: { warmups: number; times: number }, work: () => Promise<void>) {
  const result: Timed & { firstMs: number } = { firstMs: 0, ms: [], cpuMs: [] }
  for (let run = 0; run < warmups + times; run++) {
    const cpu = process.cpuUsage()
    const start = performance.now()
    await work()
    const ms = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    if (run === 0) result.firstMs = ms
    if (run < warmups) continue
    result.ms.push(ms)
    result.cpuMs.push((user + system) / 1_000)
  }
  return result
}

export function expect(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found} in place of ${expected}`)
}

/** Runs `work` for 0 to `count` - 1, `atOnce` at a time. */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
