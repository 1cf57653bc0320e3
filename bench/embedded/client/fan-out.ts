import { configMaps, namespaces } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../shared/objects.ts'
import { inParallel } from '../../shared/timing.ts'
import { answer, task } from '../tasks.ts'
import { served } from './served.ts'
import { Watchers } from './watchers.ts'

const { kubeconfig, servingPids, watchers: count, changes, burst } = task<'fan-out'>()
const watchers = await Watchers.connect(kubeconfig)
const { metadata } = await watchers.kube.of(namespaces).create({ metadata: { generateName: 'bench-fan-out-' } })
const config = watchers.kube.of(configMaps, metadata.name)
await config.create(aConfigMap(0))
await watchers.open(metadata.name, count)

const change = (number: number) =>
  config.patch('config-0', { type: 'merge', body: { metadata: { annotations: { change: String(number) } } } })

async function timedChange(number: number): Promise<number> {
  const seen = watchers.seen(watchers.events + count)
  const sentAt = performance.now()
  await change(number)
  await seen
  return performance.now() - sentAt
}

const warmups = 5
const lastMs: number[] = []
for (let number = 0; number < warmups + changes; number++) {
  const ms = await timedChange(number)
  if (number >= warmups) lastMs.push(ms)
}

const bursting = await served(servingPids, async () => {
  const seen = watchers.seen(watchers.events + count * burst)
  await inParallel(burst, 1, (number) => change(number + 1_000))
  await seen
})
answer<'fan-out'>({ lastMs, burstMs: bursting.ms, burstServerCpuMs: bursting.serverCpuMs })
