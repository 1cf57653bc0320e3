import { setTimeout as delay } from 'node:timers/promises'
import type { Difference } from './compare.ts'
import { Comparer } from './compare.ts'
import type { KnownDifference } from './known.ts'
import type { Answer, Events, Plane } from './plane.ts'
import type { Request } from './request.ts'
import { needsRoles, RoleBarrier } from './role-barrier.ts'

export interface Pair<T> {
  readonly embedded: T
  readonly real: T
}

export interface Finding {
  readonly request: Request
  readonly differences: readonly Difference[]
  readonly answers: Pair<unknown>
}

export interface RunResult {
  readonly sent: number
  readonly findings: readonly Finding[]
  /** How often each known difference was met. */
  readonly met: ReadonlyMap<KnownDifference, number>
}

export interface RunOptions {
  readonly planes: Pair<Plane>
  readonly requests: Iterable<Request>
  readonly known: readonly KnownDifference[]
  /** A run that goes on repairs what differs, so that one cause is one finding. Default: the first ends it. */
  readonly maxFindings?: number
}

interface OpenWatch {
  readonly request: Request
  readonly events: Pair<Events>
  readonly until: number
}

/** Sends every request to both, one after the other, and compares. */
export async function run({ planes, requests, known, maxFindings = 1 }: RunOptions): Promise<RunResult> {
  const comparer = new Comparer()
  const roles = new RoleBarrier(planes.real)
  const findings: Finding[] = []
  const met = new Map(known.map((row) => [row, 0]))
  let open: OpenWatch[] = []
  let sent = 0

  const judge = async (request: Request, answers: Pair<unknown>) => {
    const differences = comparer
      .compare(answers.embedded, answers.real, mayBeAnyRevision(request))
      .filter((difference) => {
        const row = known.find((row) => row.explains(difference, request))
        if (row) met.set(row, (met.get(row) ?? 0) + 1)
        return !row
      })
    if (differences.length === 0) return
    findings.push({ request, differences, answers })
    if (maxFindings > 1 && !request.about.includes('/customresourcedefinitions/')) await repair(planes, request)
  }
  const finish = async ({ request, events }: OpenWatch) => {
    await collected(planes, request, events)
    const { embedded, real } = events
    embedded.close()
    real.close()
    await judge(request, { embedded: toldBy(request, embedded), real: toldBy(request, real) })
  }

  for (const request of requests) {
    if (isFromCache(request)) await planes.real.settle(request.path)
    if (needsRoles(request)) await roles.pass()
    roles.saw(request)
    sent++
    if (request.follow === undefined) await judge(request, await both(planes, (plane) => plane.send(request)))
    else {
      const events = await both(planes, (plane) => plane.watch(request))
      if (isOpen(events)) open.push({ request, events, until: request.id + request.follow })
      else await judge(request, { embedded: headOf(events.embedded), real: headOf(events.real) })
    }
    for (const watch of open.filter(({ until }) => until <= request.id)) await finish(watch)
    open = open.filter(({ until }) => until > request.id)
    if (findings.length >= maxFindings) break
  }
  for (const watch of open) await finish(watch)
  return { sent, findings, met }
}

async function both<T>({ embedded, real }: Pair<Plane>, ask: (plane: Plane) => Promise<T>): Promise<Pair<T>> {
  const [a, b] = await Promise.all([ask(embedded), ask(real)])
  return { embedded: a, real: b }
}

const isEvents = (answer: Answer | Events): answer is Events => 'seen' in answer
const headOf = (answer: Answer | Events): Answer => (isEvents(answer) ? answer.head : answer)
const isOpen = (answers: Pair<Answer | Events>): answers is Pair<Events> =>
  isEvents(answers.embedded) && isEvents(answers.real)

/** Bookmarks come in their own time, but for the one that ends the initial events. */
const isTold = ({ query = {} }: Request, event: unknown): boolean =>
  !isBookmark(event) || (query['sendInitialEvents'] !== undefined && endsInitialEvents(event))

const toldBy = (request: Request, { head, seen, isOver }: Events): unknown => ({
  head,
  events: seen.filter((event) => isTold(request, event)),
  isOver,
})

const isBookmark = (event: unknown): boolean => (event as { type: string }).type === 'BOOKMARK'
const endsInitialEvents = (event: unknown): boolean => JSON.stringify(event).includes('k8s.io/initial-events-end')

/** Reads that the real server answers from its cache, which is a moment behind. */
const isFromCache = ({ query = {}, follow }: Request): boolean =>
  follow !== undefined || query['resourceVersion'] !== undefined

const mayBeAnyRevision = ({ query = {}, follow }: Request): boolean =>
  follow !== undefined || (query['resourceVersion'] !== undefined && query['resourceVersionMatch'] !== 'Exact')

/** All that is compared of them. */
const countOf = (request: Request, { seen }: Events): number => seen.filter((event) => isTold(request, event)).length

const patienceMs = 3_000
const graceMs = 15

/** Waits for the events of what was written up to now: as many here as there, or as many as come in time. */
async function collected(planes: Pair<Plane>, request: Request, { embedded, real }: Pair<Events>): Promise<void> {
  const isTimed = request.query?.['timeoutSeconds'] !== undefined
  await planes.real.settle(request.path)
  const until = performance.now() + patienceMs
  await delay(graceMs)
  while (performance.now() < until) {
    if (isTimed ? embedded.isOver && real.isOver : countOf(request, embedded) === countOf(request, real)) return
    await delay(graceMs)
  }
}

/** The object goes on both, whatever holds it. */
async function repair(planes: Pair<Plane>, { about }: Request): Promise<void> {
  const request = { id: 0, about, path: about }
  const headers = { 'content-type': 'application/merge-patch+json' }
  const release = { ...request, method: 'PATCH', headers, body: { metadata: { finalizers: null } } }
  const remove = { ...request, method: 'DELETE', query: { gracePeriodSeconds: '0' } }
  await both(planes, (plane) => plane.send(release))
  await both(planes, (plane) => plane.send(remove))
}
