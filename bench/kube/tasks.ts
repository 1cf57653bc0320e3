/**
 * What a measured program is asked and what it answers: one JSON argument, one JSON line. Both contestants have a program
 * of each name, bundled the same way and run in a process of its own.
 */
export interface Tasks {
  import: { task: object; answer: { ms: number; rssBytes: number } }
  list: { task: ListTask; answer: Timed & { firstMs: number; peakRssBytes: number } }
  watch: { task: WatchTask; answer: Timed }
  informer: { task: WatchTask; answer: Timed }
  update: { task: UpdateTask; answer: Timed }
  agent: { task: AgentTask; answer: AgentAnswer }
}
export type TaskName = keyof Tasks

interface Reached {
  kubeconfig: string
  namespace: string
}

interface ListTask extends Reached {
  /** Objects a page; 0 asks for everything in one answer; absent: as the client does when nothing is said. */
  pageSize?: number
  warmups: number
  times: number
  expected: number
}

interface WatchTask extends Reached {
  /** Events are replayed from here. */
  resourceVersion: string
  warmups: number
  times: number
  expected: number
}

interface UpdateTask extends Reached {
  /** Secrets that exist. Each is updated by a loop of its own, all loops at once. */
  names: string[]
  warmups: number
  /** Updates of each. */
  times: number
}

interface AgentTask extends Reached {
  /** With the flags of small-process.ts. */
  small: boolean
  seconds: number
  lease: string
  renewEveryMs: number
}

/** Every run after the warm-ups: wall time, and the processor time that the program itself used. */
export interface Timed {
  ms: number[]
  cpuMs: number[]
}

export interface AgentAnswer {
  rssBytes: number
  heapBytes: number
  externalBytes: number
  objects: number
  events: number
  renewals: number
}

export const task = <N extends TaskName>(): Tasks[N]['task'] => JSON.parse(process.argv[2] ?? '{}')

export function answer<N extends TaskName>(answer: Tasks[N]['answer']): never {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
  process.exit()
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

export const peakRssBytes = (): number => process.resourceUsage().maxRSS * 1_024
