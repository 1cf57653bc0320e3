import type { Timed } from '../shared/timing.ts'

export { expect, timed } from '../shared/timing.ts'

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

export const peakRssBytes = (): number => process.resourceUsage().maxRSS * 1_024
