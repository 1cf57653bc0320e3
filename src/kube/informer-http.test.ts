/** An informer and the real client on a server that answers as an overloaded or failing one does. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import type { Asked } from './client/testing/api.ts'
import { startApi } from './client/testing/api.ts'
import { aConfigMap } from './client/testing/kinds.ts'
import { informer } from './informer.ts'
import { configMaps } from './kinds.ts'

type Answer = (asked: Asked) => unknown

const status =
  (code: number, reason: string, headers?: Record<string, string>): Answer =>
  (asked) =>
    asked.status(code, reason, headers)
const overloaded = status(429, 'TooManyRequests', { 'retry-after': '0' })
const broken = status(500, 'InternalError')
const unavailable = status(503, 'ServiceUnavailable')
const gone = status(410, 'Expired')
const hung: Answer = () => {}

const stored = (name: string, version: number) => ({
  ...aConfigMap(name),
  metadata: { ...aConfigMap(name).metadata, resourceVersion: `${version}` },
})
const listOf =
  (version: number, ...names: string[]): Answer =>
  (asked) =>
    asked.json(200, {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: `${version}` },
      items: names.map((name) => stored(name, 1)),
    })
/** Tells of these, then stays open, or ends with an ERROR event. */
const watchOf =
  (events: [type: string, name: string, version: number][], last?: number): Answer =>
  (asked) => {
    const watch = asked.watch()
    for (const [type, name, version] of events) watch.send({ type, object: stored(name, version) })
    if (last) watch.send({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', code: last, reason: 'Expired' } })
  }

/** A server with these answers to lists and to watches, in turn; the last ones again and again. The client lives by the clock. */
async function aServer(t: TestContext, lists: Answer[], watches: Answer[], clock: Clock = systemClock) {
  const counts = { list: 0, watch: 0 }
  const from: (string | null)[] = []
  const limits: (string | null)[] = []
  const api = await startApi(t, async (asked) => {
    const isWatch = asked.query.get('watch') === 'true'
    const answers = isWatch ? watches : lists
    const at = isWatch ? counts.watch++ : counts.list++
    if (isWatch) from.push(asked.query.get('resourceVersion'))
    else limits.push(asked.query.get('limit'))
    await (answers[at] ?? answers.at(-1))?.(asked)
  })
  const client = api.client({ clock, options: { qps: 0, pingAfterMs: 0 } })
  const informed = informer(client.of(configMaps, 'here'), {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    backoff: { baseMs: 10, maxMs: 50 },
  })
  const told: string[] = []
  informed.on(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
  const stop = new AbortController()
  const running = informed.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
  })
  return { informed, counts, from, limits, told }
}

test('429, 500, 503 and silence on lists are tried again, one list at a time', async (t) => {
  const lists = [overloaded, broken, unavailable, hung, listOf(5, 'a')]
  const clock = new FakeClock()
  const { informed, counts } = await aServer(t, lists, [watchOf([])], clock)
  await eventually('silence is given up', async () => {
    await clock.advance(counts.list < 4 ? 0 : '31s')
    return counts.list === 5
  })
  await informed.synced()
  assert.equal(informed.size, 1)
  assert.equal(counts.list, 5)
})

test('429, 500 and 503 on watches are tried again from the same version, without a list', async (t) => {
  const watches = [overloaded, broken, unavailable, watchOf([['ADDED', 'b', 6]])]
  const { informed, counts, from } = await aServer(t, [listOf(5, 'a')], watches)
  await informed.until((store) => store.get('here/b'))
  assert.deepEqual(counts, { list: 1, watch: 4 })
  assert.deepEqual(from, ['5', '5', '5', '5'])
})

test('410, as an answer and in the midst of a watch, leads to one list each', async (t) => {
  const lists = [listOf(5, 'a', 'b'), listOf(9, 'b'), listOf(20, 'c')]
  const watches = [gone, watchOf([['ADDED', 'd', 10]], 410), watchOf([['ADDED', 'e', 21]])]
  const { informed, counts, from, told } = await aServer(t, lists, watches)
  await informed.until((store) => store.get('here/e'))
  assert.deepEqual(counts, { list: 3, watch: 3 })
  assert.deepEqual(from, ['5', '9', '20'])
  assert.deepEqual(told, [
    ...['added a', 'added b'],
    ...['deleted a', 'added d'],
    ...['deleted b', 'deleted d', 'added c'],
    'added e',
  ])
})

test('a continue token that expired leads to a list without a limit', async (t) => {
  const firstPage: Answer = (asked) =>
    asked.json(200, { kind: 'ConfigMapList', metadata: { resourceVersion: '5', continue: 'next' }, items: [] })
  const { informed, limits } = await aServer(t, [firstPage, gone, listOf(6, 'a')], [watchOf([])])
  await informed.synced()
  assert.deepEqual(limits, ['500', '500', null])
})
