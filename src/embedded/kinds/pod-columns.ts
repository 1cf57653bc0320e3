import type { ContainerStatus, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { ageText } from './age.ts'
import type { Cells } from './define.ts'
import { as } from './define.ts'
import type { RowCondition } from './kind.ts'

/** What `kubectl get pods` makes of a pod's many states. */
interface Summary {
  ready: number
  total: number
  reason: string
  restarts: number
  lastRestart: string | undefined
}

export const podCells: Cells = {
  Ready: (object) => {
    const { ready, total } = summary(as<Pod>(object))
    return `${ready}/${total}`
  },
  Status: (object) => summary(as<Pod>(object)).reason,
  Restarts: (object, now) => {
    const { restarts, lastRestart } = summary(as<Pod>(object))
    return restarts > 0 && lastRestart ? `${restarts} (${ageText(lastRestart, now)} ago)` : `${restarts}`
  },
  IP: (object) => as<Pod>(object).status?.podIPs?.[0]?.ip || '<none>',
  Node: (object) => as<Pod>(object).spec?.nodeName || '<none>',
  'Nominated Node': (object) => as<Pod>(object).status?.nominatedNodeName || '<none>',
  'Readiness Gates': (object) => {
    const { spec, status } = as<Pod>(object)
    const gates = spec?.readinessGates ?? []
    const open = gates.filter(
      ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
    )
    return gates.length === 0 ? '<none>' : `${open.length}/${gates.length}`
  },
}

const endings: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
}

export function podRowConditions(object: ApiObject): RowCondition[] {
  const { phase = '' } = as<Pod>(object).status ?? {}
  const message = endings[phase]
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason: phase, message }]
}

function summary(pod: Pod): Summary {
  const { metadata, spec, status = {} } = pod
  const sidecars = new Set(
    spec?.initContainers?.filter((init) => init.restartPolicy === 'Always').map(({ name }) => name),
  )
  const started = initSummary(pod, sidecars)
  const conditions = status.conditions ?? []
  const isGated = conditions.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated')
  let summed: Summary = {
    ...started,
    total: (spec?.containers?.length ?? 0) + sidecars.size,
    reason: started.reason ?? (isGated ? 'SchedulingGated' : status.reason || status.phase || ''),
  }
  const isInitialized = conditions.some(({ type, status }) => type === 'Initialized' && status === 'True')
  if (started.reason === undefined || isInitialized) summed = runSummary(pod, sidecars, summed)
  if (!metadata?.deletionTimestamp) return summed
  if (status.reason === 'NodeLost') return { ...summed, reason: 'Unknown' }
  const isOver = status.phase === 'Failed' || status.phase === 'Succeeded'
  return isOver ? summed : { ...summed, reason: 'Terminating' }
}

type Started = Pick<Summary, 'ready' | 'restarts' | 'lastRestart'> & { reason: string | undefined }

/** How far the init containers are; a reason when they are not done. */
function initSummary({ spec, status }: Pod, sidecars: ReadonlySet<string>): Started {
  const all: Started = { ready: 0, restarts: 0, lastRestart: undefined, reason: undefined }
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    all.restarts += container.restartCount
    all.lastRestart = later(all.lastRestart, container)
    const { terminated, waiting } = container.state ?? {}
    if (terminated?.exitCode === 0) continue
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) all.ready += 1
      continue
    }
    if (terminated) all.reason = `Init:${endOf(terminated)}`
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') all.reason = `Init:${waiting.reason}`
    else all.reason = `Init:${index}/${spec?.initContainers?.length ?? 0}`
    return all
  }
  return all
}

function runSummary({ status }: Pod, sidecars: ReadonlySet<string>, start: Summary): Summary {
  const restartable = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))
  const sum: Summary = {
    ...start,
    restarts: restartable.reduce((total, { restartCount }) => total + restartCount, 0),
    lastRestart: restartable.reduce<string | undefined>(later, undefined),
  }
  let isRunning = false
  let failure = ''
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    sum.restarts += container.restartCount
    sum.lastRestart = later(sum.lastRestart, container)
    const { waiting, terminated, running } = container.state ?? {}
    if (waiting?.reason) sum.reason = waiting.reason
    else if (terminated) {
      sum.reason = endOf(terminated)
      if (terminated.exitCode !== 0) failure = sum.reason
    } else if (container.ready && running) {
      isRunning = true
      sum.ready += 1
    }
  }
  if (sum.reason !== 'Completed') return sum
  const isReady = status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  const reason = isRunning && isReady ? 'Running' : failure || (isRunning ? 'NotReady' : sum.reason)
  return { ...sum, reason }
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

const endOf = ({ reason, signal, exitCode }: Terminated): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`)

function later(last: string | undefined, { lastState }: ContainerStatus): string | undefined {
  const ended = lastState?.terminated?.finishedAt
  return ended && (!last || Date.parse(ended) > Date.parse(last)) ? ended : last
}
