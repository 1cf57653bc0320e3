// Asks the hub as API servers do, in a process of its own. One JSON argument, one JSON line.
import { setTimeout as delay } from 'node:timers/promises'
import type { Flooded } from '../../test/support/long-reviews.ts'
import { flood, longReview } from '../../test/support/long-reviews.ts'
import type { Spread } from '../reach/load.ts'
import { spreadOf, steadyLoad } from '../reach/load.ts'
import { quantile } from '../shared/statistics.ts'
import type { Question, World } from './questions.ts'
import {
  clusterName,
  clusterOf,
  forbidden,
  ofFirst,
  people,
  protectedNamespace,
  questionOf,
  sessionOf,
  tokenOf,
  usagePath,
} from './questions.ts'
import type {
  BystandersAnswer,
  BystandersTask,
  FloodTask,
  HubFacts,
  NeighboursAnswer,
  NeighboursTask,
  ThroughputAnswer,
  ThroughputTask,
  Usage,
} from './tasks.ts'
import { Wire } from './wire.ts'

async function askedRightly(wire: Wire, { text, expected }: Question): Promise<void> {
  const answer = await wire.ask(text)
  if (!answer.includes(expected)) throw new WrongAnswer(`not ${expected}: ${answer}`)
}

class WrongAnswer extends Error {}

async function usageOf(hub: HubFacts): Promise<Usage> {
  const wire = await Wire.open(hub)
  const answer = await wire.ask(`GET ${usagePath} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`)
  wire.close()
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Usage
}

const opened = (hub: HubFacts, count: number): Promise<Wire[]> =>
  Promise.all(Array.from({ length: count }, () => Wire.open(hub)))

/** Asked once before anything is measured, so that nothing of what was asked before is asked again. */
let next = Math.floor(performance.timeOrigin / 1_000) * 1_000

async function throughput(task: ThroughputTask): Promise<ThroughputAnswer> {
  const { hub, connections, warmMs, forMs } = task
  const wires = await opened(hub, connections)
  const question = questions(task)
  using _ = wideAwake()
  /** On a machine with too much to do a cluster may be late: that is told, beside the number. */
  const during = async (ms: number): Promise<{ took: number[]; wrong: number }> => {
    const took: number[] = []
    let wrong = 0
    const until = performance.now() + ms
    await Promise.all(
      wires.map(async (wire) => {
        for (let startedAt = performance.now(); startedAt < until; startedAt = performance.now()) {
          await askedRightly(wire, question()).catch((error: unknown) => {
            if (!(error instanceof WrongAnswer)) throw error
            wrong += 1
          })
          took.push(performance.now() - startedAt)
        }
      }),
    )
    return { took, wrong }
  }
  await everybodyOnce(wires, question)
  await during(warmMs)
  const before = await usageOf(hub)
  const startedAt = performance.now()
  const { took, wrong } = await during(forMs)
  const seconds = (performance.now() - startedAt) / 1_000
  const usage = await usageOf(hub)
  for (const wire of wires) wire.close()
  return {
    perSecond: took.length / seconds,
    wrong: wrong / took.length,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    cpuMsPerThousand: ((usage.cpuMs - before.cpuMs) * 1_000) / took.length,
    usage,
  }
}

/** Whoever asks has to be quicker than whoever answers, so what is asked again is put together once. */
function questions(task: ThroughputTask): () => Question {
  const { workload } = task
  if (workload === 'round trip') return () => questionOf(workload, next++, task)
  const asked = Array.from({ length: people }, (_, number) => questionOf(workload, number, task))
  return () => asked[next++ % people] as Question
}

/**
 * Never sleeps: to wake up whoever asks costs the hub as much as half an answer, and is due for each answer where the
 * hub is the slower one, and for hardly any where it is the quicker one. So routes would not be compared but sleeps.
 */
function wideAwake(): Disposable {
  let isOver = false
  const again = () => void (isOver || setImmediate(again))
  again()
  return {
    [Symbol.dispose]() {
      isOver = true
    },
  }
}

/** A hub that meets a cluster for the first time opens a connection: that is another matter than what is measured. */
const everybodyOnce = (wires: readonly Wire[], question: () => Question): Promise<unknown> =>
  Promise.all(
    wires.map(async (wire, lane) => {
      for (let number = lane; number < people; number += wires.length) await wire.ask(question().text)
    }),
  )

/** As many connections as an API server would use; who finds none free waits, and that counts. */
class Lane {
  readonly #hub: HubFacts
  readonly #free: Wire[]
  readonly #waiting: ((wire: Wire) => void)[] = []

  constructor(hub: HubFacts, wires: readonly Wire[]) {
    this.#hub = hub
    this.#free = [...wires]
  }

  async ask(question: Question): Promise<void> {
    let wire = this.#free.shift() ?? (await new Promise<Wire>((resolve) => this.#waiting.push(resolve)))
    try {
      // Within: a connection that cannot be opened anew is given back as it is, so that nobody waits for it forever.
      if (!wire.isOpen) wire = await Wire.open(this.#hub)
      await askedRightly(wire, question)
    } finally {
      const waiting = this.#waiting.shift()
      if (waiting) waiting(wire)
      else this.#free.push(wire)
    }
  }
}

const laneTo = async (hub: HubFacts): Promise<Lane> => new Lane(hub, await opened(hub, 64))

/** As fast as it is answered, on so many connections: how an API server asks that has more to ask than it is told. */
async function flooded({ hub, floodConnections, forMs }: NeighboursTask, question: () => Question): Promise<Spread> {
  const wires = await opened(hub, floodConnections)
  const took: number[] = []
  let failed = 0
  const until = performance.now() + forMs
  const loop = async (wire: Wire) => {
    for (let startedAt = performance.now(); startedAt < until && wire.isOpen; startedAt = performance.now()) {
      await askedRightly(wire, question()).catch(() => {
        failed += 1
      })
      took.push(performance.now() - startedAt)
    }
  }
  await Promise.all(wires.map(loop))
  for (const wire of wires) wire.close()
  return spreadOf(took, failed)
}

/** The first cluster is the one in trouble: its people ask for something new each time, so that it is asked in turn. */
async function neighbours(task: NeighboursTask): Promise<NeighboursAnswer> {
  const { hub, phase, rate, deadRate, forMs } = task
  const [others, own] = await Promise.all([laneTo(hub), laneTo(hub)])
  const common = { forMs, now: () => performance.now(), sleep: (ms: number) => delay(ms) }
  const calm = steadyLoad({
    ...common,
    rate,
    target: (number) => ({ cluster: number, group: 'others' as const }),
    call: () => others.ask(questionOf(next % 2 === 0 ? 'cached' : 'round trip', elsewhere(next++, task), task)),
  })
  if (phase === 'all is well') return { others: (await calm).others }
  const question = () => ({ ...questionOf('round trip', ofFirst(next++, task), task), expected: '"allowed":' })
  const dead = async () => {
    const target = () => ({ cluster: 0, group: 'trouble' as const })
    return (await steadyLoad({ ...common, rate: deadRate, target, call: () => own.ask(question()) })).trouble
  }
  const [{ others: spread }, trouble] = await Promise.all([
    calm,
    phase === 'a cluster floods' ? flooded(task, question) : dead(),
  ])
  return { others: spread, trouble }
}

/** A number like this one whose cluster is not the first. */
const elsewhere = (number: number, world: World): number =>
  clusterOf(sessionOf(number, world), world.clusters) === 0 ? number + 1 : number

async function bystanders(task: BystandersTask): Promise<BystandersAnswer> {
  const { hub, rate, forMs, clusters } = task
  const lane = await laneTo(hub)
  let undenied = 0
  const ask = async (number: number) => {
    if (number % 2 === 0) return await lane.ask(questionOf('cached', elsewhere(number, task), task))
    await lane.ask(forbidden(number, 1 + (number % (clusters - 1)))).catch((error: unknown) => {
      undenied += 1
      throw error
    })
  }
  const common = { rate, forMs, now: () => performance.now(), sleep: (ms: number) => delay(ms) }
  const target = (number: number) => ({ cluster: number, group: 'others' as const })
  const before = await usageOf(hub)
  const { others } = await steadyLoad({ ...common, target, call: ask })
  const { lease, loopP99, cpuMs } = await usageOf(hub)
  return { others, undenied, lease, loopP99, cpuMsPerSecond: ((cpuMs - before.cpuMs) * 1_000) / forMs }
}

function flooding({ hub, isKnown, connections, forMs }: FloodTask): Promise<Flooded> {
  const asked = { user: 'nobody@example.com', verb: 'delete', namespace: protectedNamespace }
  // From another address than those of the others, as it would be.
  const target = { ...hub, cluster: clusterName(0), localAddress: '127.0.0.2', ...(isKnown && { token: tokenOf(0) }) }
  return flood(target, longReview(asked, longestSelector), { connections, signal: AbortSignal.timeout(forMs) })
}

/** What an API server takes in headers. */
const longestSelector = 1024 * 1024

const task = JSON.parse(process.argv[2] ?? '') as ThroughputTask | NeighboursTask | BystandersTask | FloodTask
const answers = {
  throughput: () => throughput(task as ThroughputTask),
  neighbours: () => neighbours(task as NeighboursTask),
  bystanders: () => bystanders(task as BystandersTask),
  flood: () => flooding(task as FloodTask),
}
console.log(JSON.stringify(await answers[task.do]()))
process.exit()
