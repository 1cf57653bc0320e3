import { configMaps } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Figure, Row } from '../shared/rows.ts'
import { compare, cpuPerThousand, mebibytes, milliseconds, perSecond, rowOf } from '../shared/rows.ts'
import { median } from '../shared/statistics.ts'
import type { Contestant, Contestants } from './contestants.ts'
import type { Replay } from './seed.ts'
import { seedAgent, seedRepetitive, seedReplay, seedUpdates } from './seed.ts'
import type { AgentAnswer, TaskName, Tasks } from './tasks.ts'
import { expect } from './tasks.ts'

export interface Scale {
  rounds: number
  objects: number
  /** One by one; the concurrent ones are twice as many. */
  updates: number
  /** Processes of each side that run at once. */
  agents: number
  agentObjects: number
  agentSeconds: number
}

export interface Bench {
  contestants: Contestants
  /** For what has to be there before something can be measured. */
  kube: Kube
  kubeconfig: string
  scale: Scale
  /** Groups to measure. Undefined: all. */
  only: string[] | undefined
  say(line: string): void
}

type Answer<N extends TaskName> = Tasks[N]['answer']

export async function measureAll(bench: Bench): Promise<Row[]> {
  const wants = (group: string) => !bench.only || bench.only.includes(group)
  const rows: Row[] = []
  if (wants('import')) rows.push(...(await measureImport(bench)))
  if (['list', 'watch', 'informer'].some(wants)) {
    bench.say(`writing ${bench.scale.objects} objects, then changing each`)
    const replay = await seedReplay(bench.kube, bench.scale.objects)
    // Events first: the API server keeps their history while nothing else is written, and not for ever.
    if (wants('watch')) rows.push(...(await measureEvents(bench, replay, 'watch', 'watch')))
    if (wants('informer')) rows.push(...(await measureEvents(bench, replay, 'informer', 'informer')))
    if (wants('list')) rows.push(...(await measureLists(bench, replay)))
  }
  if (wants('update')) rows.push(...(await measureUpdates(bench)))
  if (wants('agent')) rows.push(...(await measureAgents(bench)))
  return rows
}

const inTurn = <A>({ contestants, scale, say }: Bench, figures: Figure<A>[], measure: (c: Contestant) => Promise<A>) =>
  compare(contestants, { rounds: scale.rounds, say, figures }, measure)

const measureImport = (bench: Bench) =>
  inTurn(
    bench,
    [
      milliseconds<Answer<'import'>>('import-time', 'import', ({ ms }) => ms),
      mebibytes<Answer<'import'>>('import-rss', 'RSS after import', ({ rssBytes }) => rssBytes),
    ],
    (contestant) => contestant.run('import', {}),
  )

async function measureLists(bench: Bench, { namespace, objects }: Replay): Promise<Row[]> {
  const { kubeconfig } = bench
  // client-node asks for gzip and we do not on the loopback interface, so what the objects hold decides much.
  const repetitive = { namespace: await seedRepetitive(bench.kube, objects) }
  const count = objects.toLocaleString('en')
  const repeated = { warmups: 1, times: 3 }
  const task = { kubeconfig, namespace, expected: objects }
  const warm = (id: string, title: string) => milliseconds<Answer<'list'>>(id, title, ({ ms }) => median(ms))
  const first = milliseconds<Answer<'list'>>(
    'list-first',
    `list ${count}, first call of a process`,
    ({ firstMs }) => firstMs,
  )
  const peak = mebibytes<Answer<'list'>>('list-rss', `peak RSS, listing ${count} once`, (answer) => answer.peakRssBytes)
  return [
    ...(await inTurn(bench, [warm('list', `list ${count}, no options given`)], (contestant) =>
      contestant.run('list', { ...task, ...repeated }),
    )),
    ...(await inTurn(
      bench,
      [warm('list-repetitive', `list ${count} that compress well, no options given`)],
      (contestant) => contestant.run('list', { ...task, ...repeated, ...repetitive }),
    )),
    ...(await inTurn(bench, [warm('list-paged', `list ${count}, both in pages of 500`)], (contestant) =>
      contestant.run('list', { ...task, ...repeated, pageSize: 500 }),
    )),
    ...(await inTurn(bench, [warm('list-whole', `list ${count}, both in one answer`)], (contestant) =>
      contestant.run('list', { ...task, ...repeated, pageSize: 0 }),
    )),
    ...(await inTurn(bench, [first, peak], (contestant) => contestant.run('list', { ...task, warmups: 0, times: 1 }))),
  ]
}

function measureEvents(bench: Bench, replay: Replay, program: 'watch' | 'informer', noun: string): Promise<Row[]> {
  const { namespace, resourceVersion, events } = replay
  const task = { kubeconfig: bench.kubeconfig, namespace, resourceVersion, expected: events, warmups: 1, times: 5 }
  return inTurn(
    bench,
    [
      perSecond<Answer<'watch'>>(`${program}-rate`, `${noun}, events received`, events, ({ ms }) => ms),
      cpuPerThousand<Answer<'watch'>>(
        `${program}-cpu`,
        `${noun}, client CPU per 1,000 events`,
        events,
        ({ cpuMs }) => cpuMs,
      ),
    ],
    (contestant) => contestant.run(program, task),
  )
}

async function measureUpdates(bench: Bench): Promise<Row[]> {
  const { kube, kubeconfig, scale } = bench
  const concurrent = 50
  const { namespace, names } = await seedUpdates(kube, concurrent)
  const figuresOf = (id: string, title: string, count: number) => [
    perSecond<Answer<'update'>>(`${id}-rate`, title, count, ({ ms }) => ms),
    cpuPerThousand<Answer<'update'>>(`${id}-cpu`, `${title}, client CPU per 1,000`, count, ({ cpuMs }) => cpuMs),
  ]
  const each = Math.round((scale.updates * 2) / concurrent)
  return [
    ...(await inTurn(bench, figuresOf('update', `${scale.updates} updates one by one`, scale.updates), (contestant) =>
      contestant.run('update', { kubeconfig, namespace, names: names.slice(0, 1), warmups: 100, times: scale.updates }),
    )),
    ...(await inTurn(
      bench,
      figuresOf(
        'update-concurrent',
        `${(each * concurrent).toLocaleString('en')} updates, ${concurrent} at once`,
        each * concurrent,
      ),
      (contestant) => contestant.run('update', { kubeconfig, namespace, names, warmups: 4, times: each }),
    )),
  ]
}

/** All processes of both sides at once: memory does not depend on what the neighbours do, and a minute is long. */
async function measureAgents({ contestants, kube, kubeconfig, scale, say }: Bench): Promise<Row[]> {
  const { agents, agentObjects, agentSeconds: seconds } = scale
  const { namespace } = await seedAgent(kube, agentObjects)
  say(`agents: ${agents} processes of each kind for ${seconds} s`)
  const runSome = async (contestant: Contestant, small: boolean): Promise<AgentAnswer[]> => {
    const leaseOf = (number: number) => `${contestant.name}-${small ? 'small' : 'usual'}-${number}`
    const task = { kubeconfig, namespace, seconds, small, renewEveryMs: 2_000 }
    const runs = Array.from({ length: agents }, (_, number) =>
      contestant.run('agent', { ...task, lease: leaseOf(number) }),
    )
    return checkedAgents(await Promise.all(runs), scale)
  }
  const runBoth = async (small: boolean) => {
    const [ours, theirs] = await Promise.all([runSome(contestants.ours, small), runSome(contestants.theirs, small)])
    return { ours, theirs }
  }
  const stop = new AbortController()
  const touching = touchObjects(kube, namespace, agentObjects / 2, stop.signal)
  const [usual, small] = await Promise.all([runBoth(false), runBoth(true)]).finally(() => stop.abort())
  await touching
  const title = `agent with ${agentObjects.toLocaleString('en')} objects, RSS after ${seconds} s`
  const figure = (id: string, flags: string) =>
    mebibytes<AgentAnswer>(id, `${title}, ${flags}`, ({ rssBytes }) => rssBytes)
  return [rowOf(figure('agent-rss', 'no flags'), usual), rowOf(figure('agent-rss-small', 'both with our flags'), small)]
}

function checkedAgents(answers: AgentAnswer[], { agentObjects, agentSeconds }: Scale): AgentAnswer[] {
  for (const { objects, events, renewals } of answers) {
    expect('objects kept by an agent', objects, agentObjects)
    if (events <= agentObjects) throw new Error('an agent saw no changes')
    if (renewals < agentSeconds / 4) throw new Error('an agent did not renew its lease')
  }
  return answers
}

/** Ten changes a second, so that the informers have something to do. */
async function touchObjects(kube: Kube, namespace: string, count: number, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number++) {
    const body = { metadata: { annotations: { touched: String(number) } } }
    await kube.of(configMaps, namespace).patch(`config-${number % count}`, { type: 'merge', body })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
