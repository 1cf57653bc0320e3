/** What a client program is asked and what it answers: one JSON argument, one JSON line. */
export interface Tasks {
  create: { task: CreateTask; answer: Served }
  update: { task: UpdateTask; answer: Served }
  get: { task: GetTask; answer: Served }
  list: { task: ListTask; answer: { ms: number[] } }
  'fan-out': { task: FanOutTask; answer: FanOutAnswer }
  watches: { task: WatchesTask; answer: WatchesAnswer }
}
export type TaskName = keyof Tasks

/** A control plane, as its client reaches it, and as the machine sees it. */
interface Reached {
  kubeconfig: string
  pids: readonly number[]
  servingPids: readonly number[]
}

interface CreateTask extends Reached {
  /** Made where it is missing. */
  namespace: string
  count: number
  writers: number
}

interface UpdateTask extends Reached {
  /** Has more objects than there are writers. */
  namespace: string
  /** Of all writers together. */
  count: number
  writers: number
}

interface GetTask extends Reached {
  namespace: string
  objects: number
  count: number
  readers: number
}

interface ListTask {
  kubeconfig: string
  namespace: string
  pageSize: number
  warmups: number
  times: number
  expected: number
}

interface FanOutTask extends Reached {
  watchers: number
  /** Each is seen by all before the next is made. */
  changes: number
  /** As fast as they can be made. */
  burst: number
}

interface WatchesTask extends Reached {
  /** Its objects are watched, one watch each. */
  namespace: string
  count: number
  /** Of an object with watchers of its own, to see how long they take. */
  changes: number
  /** Of the objects in `namespace`. */
  updatesPerSecond: number
  updateSeconds: number
  settleMs: number
}

/** Some requests: how long they took, and what they cost the servers. */
export interface Served {
  ms: number
  serverCpuMs: number
}

export interface FanOutAnswer {
  /**
   * Of each change, from its sending until the last watcher had it. Not from its answer: watchers may be told first,
   * and the last of them may be as early as the writer.
   */
  lastMs: number[]
  /** From the first write of the burst until the last event. */
  burstMs: number
  burstServerCpuMs: number
}

export interface Memory {
  /** Bytes of all processes, and of those that serve. */
  all: number
  serving: number
}

export interface WatchesAnswer {
  before: Memory
  withWatches: Memory
  afterUpdates: Memory
  /** From the sending of a change until a watcher had it. */
  latencyMs: number[]
  updates: number
}

export const task = <N extends TaskName>(): Tasks[N]['task'] => JSON.parse(process.argv[2] ?? '{}')

export function answer<N extends TaskName>(answer: Tasks[N]['answer']): never {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
  process.exit()
}
