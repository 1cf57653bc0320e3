import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { ServerSentEvent } from '../../fleet/rest.ts'
import { KubeFailure } from '../../kube/failures.ts'
import type { Handler } from '../../kube/informer.ts'
import type { ListOptions, WatchOptions } from '../../kube/kube.ts'
import type { Escalation, Session } from '../sessions/index.ts'
import { anEscalation, lead } from '../sessions/testing/builders.ts'
import type { Person } from './contract.ts'
import type { StreamDeps } from './session-stream.ts'
import { sessionStream } from './session-stream.ts'
import { compareVersions, pointOf } from './stream-point.ts'

const dev: Person = { email: 'dev@example.com', groups: [], identityProvider: 'p', issuer: 'i' }

/** One write: which session, how many entries it adds, and whose the session is. */
interface Write {
  at: number
  entries: number
}

/** A server that knows all its versions, as the brief of a property: `log[n]` was written at version 10 + n. */
function serverOf(writes: readonly Write[]) {
  const log: Session[] = []
  for (const { at, entries } of writes) {
    const user = at % 3 === 2 ? 'other@example.com' : 'dev@example.com'
    const before = log.findLast(({ metadata }) => metadata.uid === `s${at}`)?.status?.history ?? []
    const first = (before.at(-1)?.seq ?? 0) + 1
    const added = Array.from({ length: entries }, (_, n) => ({ seq: first + n, at: '', transition: 'x' }))
    log.push({
      metadata: { name: `s${at}`, uid: `s${at}`, resourceVersion: String(8 + log.length) },
      spec: { cluster: 'c', user, grantedGroup: 'g', requestedBy: { email: user } },
      status: { history: [...before, ...added] },
    })
  }
  const upTo = (version: string) =>
    log.filter(({ metadata }) => compareVersions(metadata.resourceVersion, version) <= 0)
  const stateAt = (version: string) => [
    ...new Map(upTo(version).map((session) => [session.metadata.uid, session])).values(),
  ]
  return { log, upTo, stateAt }
}

const noEscalations = { byIndex: (): Escalation[] => [], synced: async () => {} }

interface Reading {
  isForgotten?: boolean
  person?: Person
  escalations?: typeof noEscalations
}

/** What a reader hears from a replica that has seen everything up to `known`, until it is told all that is `wanted`. */
async function heard(
  server: ReturnType<typeof serverOf>,
  after: string | undefined,
  known: string,
  wanted: number,
  { isForgotten = false, person = dev, escalations = noEscalations }: Reading = {},
) {
  const clock = new FakeClock()
  const over = new AbortController()
  const handlers: Handler<BreakglassSession>[] = []
  const collection = {
    async *pages({ resourceVersion = '' }: ListOptions) {
      if (isForgotten && resourceVersion !== '')
        throw new KubeFailure({ code: 410, reason: 'Expired' }, { method: 'GET', path: '' })
      const version = resourceVersion === '' ? (server.log.at(-1)?.metadata.resourceVersion ?? '') : resourceVersion
      yield { metadata: { resourceVersion: version }, items: server.stateAt(version) }
    },
    async *watch({ resourceVersion = '' }: WatchOptions) {
      for (const object of server.log.slice(server.upTo(resourceVersion).length)) yield { type: 'MODIFIED', object }
    },
  }
  const sessions = {
    synced: async () => {},
    list: () => server.stateAt(known),
    on(handler: Handler<BreakglassSession>) {
      for (const object of server.stateAt(known)) handler({ type: 'added', object })
      handlers.push(handler)
      return { [Symbol.dispose]: () => {} }
    },
  }
  const deps = {
    kube: { of: () => collection },
    view: { sessions, escalations },
    spokeView: { configs: noEscalations },
    settings: () => ({ oidcPrefixes: [] }),
    clock,
  } as unknown as StreamDeps
  const events: ServerSentEvent[] = []
  const collect = async () => {
    for await (const event of sessionStream(after, person, deps, over.signal)) {
      if (event.data !== undefined) events.push(event)
      if (events.length === wanted) over.abort()
    }
  }
  const collected = collect()
  if (wanted === 0) over.abort()
  await new Promise(setImmediate)
  // What the replica had yet to see comes now; a list after a loss tells it in any order.
  const older = new Map(server.stateAt(known).map((object) => [object.metadata.uid, object]))
  for (const object of server.stateAt(server.log.at(-1)?.metadata.resourceVersion ?? '').reverse()) {
    const previous = older.get(object.metadata.uid)
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion) continue
    for (const handler of handlers)
      handler(previous ? { type: 'updated', object, previous } : { type: 'added', object })
  }
  await clock.settle()
  over.abort()
  await collected
  return events
}

const told = (events: readonly ServerSentEvent[]) =>
  events.map(({ data }) => `${(data as { session: string }).session} ${(data as { entry: { seq: number } }).entry.seq}`)

test('from whichever place, on whichever replica, the rest is told once and in order', async () => {
  const write = fc.record({ at: fc.nat(4), entries: fc.nat(2) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      fc.nat(),
      async (writes, from, lag) => {
        const server = serverOf(writes)
        const all = server.log.flatMap((session, at) => {
          const before = server.log.slice(0, at).findLast(({ metadata }) => metadata.uid === session.metadata.uid)
          const last = before?.status?.history?.at(-1)?.seq ?? 0
          return (session.status?.history ?? [])
            .filter(({ seq }) => seq > last && session.spec.user === 'dev@example.com')
            .map(({ seq }) => ({
              id: `${session.metadata.resourceVersion}.${seq}`,
              text: `${session.metadata.name} ${seq}`,
            }))
        })
        if (all.length === 0) return
        const at = from % all.length
        const known = server.log[lag % server.log.length]?.metadata.resourceVersion ?? ''
        const wanted = all.slice(at + 1)
        const events = await heard(server, all[at]?.id, known, wanted.length)
        // Of a replica that lags, versions that came out of order are told together: the order within each session holds.
        const bySession = (texts: string[]) => [...texts].sort()
        assert.deepEqual(bySession(told(events)), bySession(wanted.map(({ text }) => text)))
        const isWhole = known === server.log.at(-1)?.metadata.resourceVersion
        if (isWhole)
          assert.deepEqual(
            told(events),
            wanted.map(({ text }) => text),
          )
        if (isWhole)
          assert.deepEqual(
            events.map(({ id }) => id),
            wanted.map(({ id }) => id),
          )
      },
    ),
    { numRuns: 300 },
  )
})

test('who decides hears what happened before this replica knew that they do', async () => {
  const server = serverOf([
    { at: 0, entries: 1 },
    { at: 1, entries: 1 },
  ])
  let known: Escalation[] = []
  const escalations = {
    byIndex: () => known,
    async synced() {
      await new Promise(setImmediate)
      known = [anEscalation({ escalatedGroup: 'g', allowed: { clusters: ['c'], groups: ['devs'] } })]
    },
  }
  // From the first on, which is known here, and with the second yet to come.
  const events = await heard(server, '8.0', '8', 2, { person: lead, escalations })
  assert.deepEqual(told(events), ['s0 1', 's1 1'])
})

test('who begins to read before this replica knows who may see what hears of all from then on', async () => {
  const server = serverOf([
    { at: 0, entries: 1 },
    { at: 1, entries: 1 },
  ])
  const escalations = {
    ...noEscalations,
    async synced() {
      for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
    },
  }
  assert.deepEqual(told(await heard(server, undefined, '8', 1, { escalations })), ['s1 1'])
})

test('what is no place in the stream, has yet to come or was forgotten is reset', async () => {
  const server = serverOf([
    { at: 0, entries: 1 },
    { at: 1, entries: 1 },
  ])
  for (const [place, isForgotten] of [
    ['nonsense', false],
    ['99.1', false],
    ['8.1', true],
  ] as const) {
    const events = await heard(server, place, '9', 1, { isForgotten })
    assert.deepEqual(
      events.map(({ event }) => event),
      ['reset'],
      place,
    )
  }
})

test('a place is a version and a number', () => {
  assert.deepEqual(pointOf('12.3'), { version: '12', seq: 3 })
  for (const text of ['', '12', '0.1', '012.1', '1.01', '1.-1', 'a.1', '1.1.1', '99999999999999999999.1', '1.1\n'])
    assert.equal(pointOf(text), undefined, text)
  assert.ok(compareVersions('9', '10') < 0 && compareVersions('10', '9') > 0 && compareVersions('10', '10') === 0)
})
