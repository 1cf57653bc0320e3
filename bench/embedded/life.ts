import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../shared/statistics.ts'
import type { Contestant, Plane } from './planes.ts'
import type { Memory, Served, TaskName, Tasks } from './tasks.ts'
import { cpuMsOf, memoryOf } from './usage.ts'

export interface Scale {
  rounds: number
  /** Writes of a single writer. */
  oneByOne: number
  /** In two namespaces, one of which is listed. */
  objects: number
  updates: number
  gets: number
  lists: number
  /** Of one namespace. */
  watchers: number
  changes: number
  burst: number
  /** Of one object each. */
  watches: number
  updatesPerSecond: number
  updateSeconds: number
  /** Before memory is read. */
  settleMs: number
}

export const groups = ['start', 'write', 'read', 'fan-out', 'watches'] as const
export type Group = (typeof groups)[number]

export interface Living {
  scale: Scale
  wants(group: Group): boolean
  ask<N extends TaskName>(name: N, task: Tasks[N]['task']): Promise<Tasks[N]['answer']>
  say(line: string): void
}

/** What was measured of one control plane from its first start to its last. Of the groups that were wanted. */
export type Life = Partial<Record<LifeNumber, number>>

export type LifeNumber =
  | 'readyEmptyMs'
  | 'readyWithDataMs'
  | `${'createOne' | 'create' | 'updateOne' | 'update' | 'get'}${'PerSecond' | 'CpuMs'}`
  | 'listPagedMs'
  | 'listWholeMs'
  | 'fanOutLastMs'
  | 'fanOutPerSecond'
  | 'fanOutCpuMs'
  | 'latencyMs'
  | 'latencyP99Ms'
  | 'bytesPerWatch'
  | `${'rest' | 'objects' | 'watches' | 'updates'}${'Bytes' | 'ServingBytes'}`

/** How many requests are under way at once, where it is more than one. */
export const atOnce = 50

const namespaces = ['bench-a', 'bench-b'] as const

/** Nothing else runs meanwhile: the other one is stopped. */
export async function live(contestant: Contestant, living: Living): Promise<Life> {
  const { scale, wants, say } = living
  say(`${contestant.name}: start`)
  await using plane = await contestant.launch()
  const life: Life = {}
  if (wants('start')) life.readyEmptyMs = await plane.restart({ empty: true })
  await untilCalm(plane)
  if (wants('watches')) {
    await sleep(scale.settleMs)
    Object.assign(life, memoryNumbers('rest', { all: memoryOf(plane.pids), serving: memoryOf(plane.servingPids) }))
  }
  const steps: { what: string; for: readonly Group[]; step: typeof writeMany }[] = [
    { what: 'writes', for: ['write'], step: writeOneByOne },
    { what: `${scale.objects} objects`, for: ['start', 'write', 'read', 'watches'], step: writeMany },
    { what: 'updates', for: ['write'], step: update },
    { what: 'reads', for: ['read'], step: read },
    { what: 'fan-out', for: ['fan-out'], step: fanOut },
    { what: `${scale.watches} watches`, for: ['watches'], step: watch },
  ]
  for (const { what, for: wantedBy, step } of steps) {
    if (!wantedBy.some(wants)) continue
    say(`${contestant.name}: ${what}`)
    Object.assign(life, await step(plane, living))
  }
  if (wants('start')) life.readyWithDataMs = await plane.restart()
  return life
}

const calmWithinMs = 60_000

/** After its start a control plane is busy with itself for a while: what it does then is not to be measured. */
async function untilCalm({ pids }: Plane): Promise<void> {
  const giveUpAt = performance.now() + calmWithinMs
  for (let calm = 0; calm < 2 && performance.now() < giveUpAt; ) {
    const before = cpuMsOf(pids)
    await sleep(1_000)
    calm = cpuMsOf(pids) - before < 150 ? calm + 1 : 0
  }
}

const reach = ({ kubeconfig, pids, servingPids }: Plane) => ({ kubeconfig, pids, servingPids })

async function writeOneByOne(plane: Plane, { scale: { oneByOne: count }, ask }: Living): Promise<Life> {
  const task = { ...reach(plane), namespace: 'bench-one', count, writers: 1 }
  return {
    ...servedNumbers('createOne', count, await ask('create', task)),
    ...servedNumbers('updateOne', count, await ask('update', task)),
  }
}

async function writeMany(plane: Plane, { scale: { objects }, ask }: Living): Promise<Life> {
  const total: Served = { ms: 0, serverCpuMs: 0 }
  for (const namespace of namespaces) {
    const part = await ask('create', { ...reach(plane), namespace, count: objects / 2, writers: atOnce })
    total.ms += part.ms
    total.serverCpuMs += part.serverCpuMs
  }
  return servedNumbers('create', objects, total)
}

async function update(plane: Plane, { scale: { updates: count }, ask }: Living): Promise<Life> {
  const task = { ...reach(plane), namespace: namespaces[0], count, writers: atOnce }
  return servedNumbers('update', count, await ask('update', task))
}

async function read(plane: Plane, { scale, ask }: Living): Promise<Life> {
  const expected = scale.objects / 2
  const [namespace] = namespaces
  const getting = { ...reach(plane), namespace, objects: expected, count: scale.gets, readers: atOnce }
  const listing = { kubeconfig: plane.kubeconfig, namespace, expected, warmups: 2, times: scale.lists }
  return {
    ...servedNumbers('get', scale.gets, await ask('get', getting)),
    listPagedMs: median((await ask('list', { ...listing, pageSize: 500 })).ms),
    listWholeMs: median((await ask('list', { ...listing, pageSize: 0 })).ms),
  }
}

async function fanOut(plane: Plane, { scale, ask }: Living): Promise<Life> {
  const { watchers, changes, burst } = scale
  const { lastMs, burstMs, burstServerCpuMs } = await ask('fan-out', { ...reach(plane), watchers, changes, burst })
  const events = watchers * burst
  return {
    fanOutLastMs: median(lastMs),
    fanOutPerSecond: (events * 1_000) / burstMs,
    fanOutCpuMs: (burstServerCpuMs * 1_000) / events,
  }
}

async function watch(plane: Plane, { scale, ask }: Living): Promise<Life> {
  const { watches: count, changes, updatesPerSecond, updateSeconds, settleMs } = scale
  const task = { ...reach(plane), namespace: namespaces[0], count, changes: changes * 5 }
  const found = await ask('watches', { ...task, updatesPerSecond, updateSeconds, settleMs })
  return {
    ...memoryNumbers('objects', found.before),
    ...memoryNumbers('watches', found.withWatches),
    ...memoryNumbers('updates', found.afterUpdates),
    bytesPerWatch: (found.withWatches.all - found.before.all) / count,
    latencyMs: median(found.latencyMs),
    latencyP99Ms: quantile(found.latencyMs, 0.99),
  }
}

const servedNumbers = (
  name: 'createOne' | 'create' | 'updateOne' | 'update' | 'get',
  count: number,
  { ms, serverCpuMs }: Served,
): Life => ({ [`${name}PerSecond`]: (count * 1_000) / ms, [`${name}CpuMs`]: (serverCpuMs * 1_000) / count })

const memoryNumbers = (name: 'rest' | 'objects' | 'watches' | 'updates', { all, serving }: Memory): Life => ({
  [`${name}Bytes`]: all,
  [`${name}ServingBytes`]: serving,
})
