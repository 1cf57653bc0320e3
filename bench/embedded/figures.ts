import type { Figure } from '../shared/rows.ts'
import type { Group, Life, LifeNumber, Scale } from './steps.ts'
import { atOnce } from './steps.ts'

/** The ratios that were aimed at: what is done in a time, how soon it is ready, how much memory it takes. */
const [throughput, readiness, memory] = [0.8, 3, 2] as const

export const figuresOf = (scale: Scale): Record<Group, Figure<Life>[]> => ({
  start: [
    { ...time('readyEmptyMs', 'ready, empty folder'), goal: readiness },
    { ...time('readyWithDataMs', `ready, with ${words(scale.objects)} objects`), goal: readiness },
  ],
  write: [
    rate('createOnePerSecond', 'creates, one by one'),
    rate('createPerSecond', `${words(scale.objects)} creates, ${atOnce} at once`),
    time('createCpuMs', 'server CPU per 1,000 of them'),
    rate('updateOnePerSecond', 'updates, one by one'),
    rate('updatePerSecond', `${words(scale.updates)} updates, ${atOnce} at once`),
    time('updateCpuMs', 'server CPU per 1,000 of them'),
  ],
  read: [
    rate('getPerSecond', `gets, ${atOnce} at once`),
    time('getCpuMs', 'server CPU per 1,000 of them'),
    { ...time('listPagedMs', `list ${words(scale.objects / 2)} in pages of 500`), goal: throughput },
    { ...time('listWholeMs', `list ${words(scale.objects / 2)} in one answer`), goal: throughput },
  ],
  'fan-out': [
    {
      ...time('fanOutLastMs', `a change, until the last of ${words(scale.watchers)} watchers has it`),
      goal: throughput,
    },
    rate('fanOutPerSecond', `events to ${words(scale.watchers)} watchers`),
    time('fanOutCpuMs', 'server CPU per 1,000 of them'),
  ],
  watches: [
    time('latencyMs', `change to event beside ${words(scale.watches)} watches, median`),
    time('latencyP99Ms', `change to event beside ${words(scale.watches)} watches, 99th percentile`),
    { ...size('restBytes', 'memory at rest'), goal: memory },
    size('restServingBytes', 'the same without kube-controller-manager'),
    { ...size('objectsBytes', `memory with ${words(scale.objects)} objects`), goal: memory },
    size('objectsServingBytes', 'the same without kube-controller-manager'),
    { ...size('watchesBytes', `memory with ${words(scale.watches)} watches, too`), goal: memory },
    size('watchesServingBytes', 'the same without kube-controller-manager'),
    { ...size('updatesBytes', `memory after ${scale.updateSeconds} s of updates`), goal: memory },
    size('updatesServingBytes', 'the same without kube-controller-manager'),
    { ...size('bytesPerWatch', 'memory of a watch'), unit: 'KiB', read: read('bytesPerWatch', 2 ** 10) },
  ],
})

const words = (count: number): string => count.toLocaleString('en')

const time = (id: LifeNumber, title: string): Figure<Life> => ({
  id,
  title,
  unit: 'ms',
  better: 'less',
  read: read(id),
})

const rate = (id: LifeNumber, title: string): Figure<Life> => ({
  id,
  title,
  unit: '/s',
  better: 'more',
  goal: throughput,
  read: read(id),
})

const size = (id: LifeNumber, title: string): Figure<Life> => ({
  id,
  title,
  unit: 'MiB',
  better: 'less',
  read: read(id, 2 ** 20),
})

const read =
  (id: LifeNumber, unit = 1) =>
  (life: Life): number => {
    const value = life[id]
    if (value === undefined) throw new Error(`${id} was not measured`)
    return value / unit
  }
