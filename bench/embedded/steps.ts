import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../shared/statistics.ts'
import type { Plane } from './planes.ts'
import type { Memory, Served, TaskName, Tasks } from './tasks.ts'
import { memoryOf } from './usage.ts'

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

/** What was measured of one control plane from its first start to its last, of the groups that were wanted. */
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

interface Step {
  what: string
  /** The groups that need it. */
  for: readonly Group[]
  measure(plane: Plane, living: Living): Promise<Life>
}

/** In this order. */
export const steps: readonly Step[] = [
  { what: 'start', for: ['start'], measure: startEmpty },
  { what: 'rest', for: ['watches'], measure: rest },
  { what: 'one write after the other', for: ['write'], measure: writeOneByOne },
  { what: 'many objects', for: ['start', 'write', 'read', 'watches'], measure: writeMany },
  { what: 'updates', for: ['write'], measure: update },
  { what: 'reads', for: ['read'], measure: read },
  { what: 'fan-out', for: ['fan-out'], measure: fanOut },
  { what: 'many watches', for: ['watches'], measure: watch },
  { what: 'start with data', for: ['start'], measure: startWithData },
]

async function startEmpty(plane: Plane): Promise<Life> {
  return { readyEmptyMs: await plane.restart({ empty: true }) }
}

async function startWithData(plane: Plane): Promise<Life> {
  return { readyWithDataMs: await plane.restart() }
}

async function rest(plane: Plane, { scale }: Living): Promise<Life> {
  await sleep(scale.settleMs)
  return memoryNumbers('rest', { all: memoryOf(plane.pids), serving: memoryOf(plane.servingPids) })
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
