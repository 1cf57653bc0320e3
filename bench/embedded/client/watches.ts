import { setTimeout as sleep } from 'node:timers/promises'
import { configMaps, namespaces } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../shared/objects.ts'
import type { Memory } from '../tasks.ts'
import { answer, task } from '../tasks.ts'
import { memoryOf } from '../usage.ts'
import { Watchers } from './watchers.ts'

const { kubeconfig, pids, servingPids, namespace, count, changes, updatesPerSecond, updateSeconds, settleMs } =
  task<'watches'>()
const near = 10
const watchers = await Watchers.connect(kubeconfig)
const { kube } = watchers

async function settled(): Promise<Memory> {
  await sleep(settleMs)
  return { all: memoryOf(pids), serving: memoryOf(servingPids) }
}

const touch = (place: string, name: string, number: number) =>
  kube
    .of(configMaps, place)
    .patch(name, { type: 'merge', body: { metadata: { annotations: { change: String(number) } } } })

/** Of one object, one change after the other, for each of its watchers. */
async function latencies(): Promise<number[]> {
  const { metadata } = await kube.of(namespaces).create({ metadata: { generateName: 'bench-near-' } })
  await kube.of(configMaps, metadata.name).create(aConfigMap(0))
  const found: number[] = []
  let sentAt = 0
  const named = () => ({ fieldSelector: 'metadata.name=config-0' })
  await watchers.open(metadata.name, near, named, () => found.push(performance.now() - sentAt))
  const warmups = 20
  for (let number = 0; number < warmups + changes; number++) {
    if (number === warmups) found.length = 0
    const seen = watchers.seen(watchers.events + near)
    sentAt = performance.now()
    await touch(metadata.name, 'config-0', number)
    await seen
  }
  return found
}

/** At a steady pace, so that both control planes do the same work. */
async function updateSteadily(): Promise<number> {
  const start = performance.now()
  const underWay = new Set<Promise<unknown>>()
  const eventsBefore = watchers.events
  let made = 0
  for (; performance.now() - start < updateSeconds * 1_000; made++) {
    const early = start + (made * 1_000) / updatesPerSecond - performance.now()
    if (early > 0) await sleep(early)
    // One that cannot keep the pace is not drowned: it makes fewer.
    if (underWay.size >= 50) await Promise.race(underWay)
    const writing = touch(namespace, `config-${made % count}`, made).finally(() => underWay.delete(writing))
    underWay.add(writing)
  }
  await Promise.all(underWay)
  await watchers.seen(eventsBefore + made)
  return made
}

const before = await settled()
await watchers.open(namespace, count, (number) => ({ fieldSelector: `metadata.name=config-${number}` }))
const withWatches = await settled()
const latencyMs = await latencies()
const updates = await updateSteadily()
answer<'watches'>({ before, withWatches, latencyMs, updates, afterUpdates: await settled() })
