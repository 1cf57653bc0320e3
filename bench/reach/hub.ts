// The hub's part that gets into clusters, in a process of its own. One JSON argument, one JSON line.
import './ready.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { isTrue } from '../../src/core/conditions.ts'
import { everywhere } from '../../src/core/egress.ts'
import { runTogether } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { Spokes } from '../../src/fleet/spoke/index.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { defaultReachSettings } from '../../src/reach/hub/deps.ts'
import { reachHub } from '../../src/reach/hub/index.ts'
import { connectTo } from '../shared/connect.ts'
import { clusterName } from './fleet.ts'
import { groupOf, hangingCluster, hangingIssuer, targetOf } from './groups.ts'
import { steadyLoad } from './load.ts'
import type { Mood } from './stand-ins-contract.ts'
import { tell } from './stand-ins-contract.ts'
import type { CheckAnswer, CheckTask, LoadAnswer, LoadTask, Phase } from './tasks.ts'
import { phases } from './tasks.ts'

const patienceMs = 300_000
const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** Waits in small steps, so that what is measured is not disturbed by the waiting. */
async function until(what: string, probe: () => boolean, withinMs = patienceMs): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while (!probe()) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${withinMs} ms`)
    await delay(20)
  }
}

/** Until this process has done as good as nothing for a while. */
async function untilCalm(): Promise<void> {
  for (let calm = 0, looks = 0; calm < 3 && looks < 100; looks++) {
    const before = cpuMs()
    await delay(500)
    calm = cpuMs() - before < 25 ? calm + 1 : 0
  }
}

async function startHub(kubeconfig: string) {
  let hubCalls = 0
  const kube = await connectTo(kubeconfig, {
    onRequest: ({ watch }) => {
      if (!watch) hubCalls += 1
    },
  })
  const common = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noMetrics, kube }
  const view = spokeView(kube, common)
  const spokes: Spokes & { run(signal: AbortSignal): Promise<void> } = createSpokes({
    ...common,
    view,
    settings: () => defaultSpokeSettings,
  })
  const events = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
  const settings = () => defaultReachSettings
  const reach = reachHub({ ...common, view, spokes, events, checkpoint: passBy, settings, egress: () => everywhere })
  const over = runTogether(new AbortController().signal, [view.run, spokes.run, reach.run])
  over.catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
  await view.configs.synced()
  const isReady = (status?: { conditions?: unknown[] }) =>
    isTrue(status?.conditions as Condition[] | undefined, 'Ready')
  const ready = () => view.configs.list().filter(({ status }) => isReady(status)).length
  return {
    spokes,
    hubCalls: () => hubCalls,
    untilReady: (count: number) => until(`${count} clusters are ready`, () => ready() === count),
  }
}

async function check({ kubeconfig, standIns, clusters, restMs }: CheckTask): Promise<CheckAnswer> {
  await tell(standIns)
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const hub = await startHub(kubeconfig)
  await hub.untilReady(clusters)
  const ms = performance.now() - startedAt
  const usedMs = cpuMs(before)
  await untilCalm()
  const counts = await tell(standIns)
  const answer = { ms, cpuMs: usedMs, rss: process.memoryUsage.rss(), counts }
  if (restMs === 0) return answer
  const [callsBefore, cpuBefore] = [hub.hubCalls(), process.cpuUsage()]
  await delay(restMs)
  const perMinute = (value: number) => (value * 60_000) / restMs
  const { calls, tokens, discoveries } = await tell(standIns)
  return {
    ...answer,
    atRest: {
      calls: perMinute(calls),
      tokens: perMinute(tokens),
      discoveries: perMinute(discoveries),
      hubCalls: perMinute(hub.hubCalls() - callsBefore),
      cpuMs: perMinute(cpuMs(cpuBefore)),
    },
  }
}

/** The least that leaves something to see where a server hangs. */
const callDeadlineMs = 5_000

async function load(task: LoadTask): Promise<LoadAnswer> {
  const { kubeconfig, standIns, clusters, rate, phaseMs, rounds } = task
  const issuers = standIns.issuers.length
  const tokenSeconds: number[] = []
  tokenSeconds[hangingIssuer] = task.tokenSeconds
  const calm: Mood = { tokenSeconds }
  await tell(standIns, calm)
  const hub = await startHub(kubeconfig)
  await hub.untilReady(clusters)
  await untilCalm()
  const call = async (cluster: number) => {
    const { kube } = await hub.spokes.open(clusterName(cluster))
    await kube.request({ path: '/api/v1/namespaces/default', deadlineMs: callDeadlineMs })
  }
  const steady = (forMs: number) =>
    steadyLoad({
      ...{ rate, forMs, call, sleep: (ms: number) => delay(ms), now: () => performance.now() },
      target: (number) => targetOf(number, { clusters, issuers }),
    })
  const moods: Record<Phase, Mood> = {
    'all answer': calm,
    'a cluster hangs': { ...calm, hangingCluster },
    'an issuer hangs': { ...calm, hangingIssuer },
  }
  /** Until every cluster answers again, breakers and all. */
  const healed = async () => {
    for (let cluster = 0; cluster < clusters; cluster++) {
      if (groupOf(cluster, issuers) === 'others') continue
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        try {
          await call(cluster)
          break
        } catch (error) {
          if (performance.now() > giveUpAt) throw error
          await delay(250)
        }
      }
    }
  }
  // Until each token of the issuer that will hang has run out once.
  const settleMs = (task.tokenSeconds - 30) * 1_000 + 1_000
  await steady(settleMs)
  const answer: LoadAnswer = { 'all answer': [], 'a cluster hangs': [], 'an issuer hangs': [] }
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < phases.length; at++) {
      // Another one goes first each time.
      const phase = phases[(at + round) % phases.length] as Phase
      await tell(standIns, moods[phase])
      // From the very moment: the calls that find out are those that could disturb others.
      answer[phase].push(await steady(settleMs + phaseMs))
      await tell(standIns, calm)
      await healed()
    }
  }
  return answer
}

const task = JSON.parse(process.argv[2] ?? '') as CheckTask | LoadTask
const answer = task.do === 'check' ? await check(task) : await load(task)
console.log(JSON.stringify(answer))
process.exit()
