import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { randomFrom } from '../../core/random.ts'
import type { WatchEvent } from '../kube.ts'
import type { KubeObject } from '../objects.ts'
import type { Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'

const added = (name: string) => ({ type: 'ADDED', object: aConfigMap(name) })

async function collect<T extends KubeObject>(watch: AsyncIterable<WatchEvent<T>>): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = []
  for await (const event of watch) events.push(event)
  return events
}

test('events come as they are sent, until the server ends the watch', async (t) => {
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    watch.send(added('a'))
    watch.send({ type: 'MODIFIED', object: aConfigMap('a') })
    await delay(20)
    watch.raw('{"type":"DELETED","object":{"metadata"')
    await delay(20)
    watch.raw(':{"name":"a"}}}\n')
    watch.end()
  })
  assert.deepEqual(await collect(api.client().of(configMaps, 'here').watch()), [
    added('a'),
    { type: 'MODIFIED', object: aConfigMap('a') },
    { type: 'DELETED', object: { metadata: { name: 'a' } } },
  ])
})

test('a watch asks for bookmarks and for an end between 5 and 10 minutes', async (t) => {
  const api = await startApi(t, (asked) => asked.watch().end())
  const half = api.client({ random: randomFrom(() => 0.5) }).of(configMaps, 'here')
  await collect(half.watch({ resourceVersion: '5', labelSelector: 'a=b' }))
  assert.equal(
    api.asked[0]?.query.toString(),
    'watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=450&labelSelector=a%3Db',
  )
  await collect(half.watch({ sendInitialEvents: true, timeoutSeconds: 9 }))
  assert.equal(
    api.asked[1]?.query.toString(),
    'watch=true&allowWatchBookmarks=true&timeoutSeconds=9&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  )
})

test('bookmarks tell a version, and where the initial events end', async (t) => {
  const bookmark = (resourceVersion: string, annotations?: Record<string, string>) => ({
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', metadata: { resourceVersion, annotations } },
  })
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    watch.send(bookmark('8', { 'k8s.io/initial-events-end': 'true' }))
    watch.send(bookmark('9'))
    watch.end()
  })
  assert.deepEqual(await collect(api.client().of(configMaps).watch()), [
    { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: true },
    { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false },
  ])
})

test('an ERROR event is thrown after the events before it', async (t) => {
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    watch.send(added('a'))
    watch.send({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })
  })
  const watch = api.client().of(configMaps).watch()[Symbol.asyncIterator]()
  assert.equal((await watch.next()).done, false)
  await assert.rejects(watch.next(), { code: 410, reason: 'Expired' })
  assert.deepEqual(await watch.next(), { done: true, value: undefined })
  await api.asked[0]?.gone
})

test('a watch that is refused throws as any call does', async (t) => {
  const api = await startApi(t, (asked) => asked.status(403, 'Forbidden'))
  await assert.rejects(collect(api.client().of(configMaps).watch()), { code: 403, reason: 'Forbidden' })
})

test('a watch that is told to come later does', async (t) => {
  let times = 0
  const api = await startApi(t, (asked) =>
    times++ === 0 ? asked.status(429, 'TooManyRequests', { 'retry-after': '0' }) : asked.watch().end(),
  )
  assert.deepEqual(await collect(api.client().of(configMaps).watch()), [])
  assert.equal(times, 2)
})

test('a watch that is never answered ends at the deadline of calls', async (t) => {
  const api = await startApi(t, () => {})
  const client = api.client({ options: { deadlineMs: 50 } })
  await assert.rejects(collect(client.of(configMaps).watch()), { code: 'KUBE_DEADLINE' })
})

test('an open watch has no deadline', async (t) => {
  const clock = new FakeClock()
  const isOver = Promise.withResolvers<void>()
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    watch.send(added('a'))
    await isOver.promise
    watch.send(added('late'))
    watch.end()
  })
  const client = api.client({ clock, options: { deadlineMs: 600, pingAfterMs: 0 } })
  const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  await clock.advance('10m')
  isOver.resolve()
  assert.deepEqual((await watch.next()).value, added('late'))
  assert.equal((await watch.next()).done, true)
})

test('a lost connection is thrown after the events that made it', async (t) => {
  const taken = Promise.withResolvers<void>()
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    watch.send(added('a'))
    watch.raw('{"type":"ADDED","obj')
    await taken.promise
    asked.session?.destroy()
  })
  const watch = api.client().of(configMaps).watch()[Symbol.asyncIterator]()
  assert.equal((await watch.next()).done, false)
  taken.resolve()
  await assert.rejects(watch.next(), { code: 'KUBE_UNREACHABLE' })
  assert.equal((await watch.next()).done, true)
})

test('a watch cut off within a line, or with a line that is no event, is a bad answer', async (t) => {
  for (const text of ['{"type":"ADDED","obj', 'nonsense\n', '{"type":"ADDED"}\n', '{"type":"WHAT","object":{}}\n']) {
    const api = await startApi(t, (asked) => {
      const watch = asked.watch()
      watch.raw(text)
      watch.end()
    })
    await assert.rejects(collect(api.client().of(configMaps).watch()), { code: 'KUBE_BAD_ANSWER' }, text)
  }
})

test('a last event without a line end counts', async (t) => {
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    watch.raw(JSON.stringify(added('a')))
    watch.end()
  })
  assert.equal((await collect(api.client().of(configMaps).watch())).length, 1)
})

const endless: Handler = (asked) => asked.watch().send(added('a'))

test('leaving the loop cancels the request', async (t) => {
  const api = await startApi(t, endless)
  for await (const event of api.client().of(configMaps).watch()) {
    assert.equal(event.type, 'ADDED')
    break
  }
  await api.asked[0]?.gone
})

test('return() ends a next() that waits', async (t) => {
  const api = await startApi(t, endless)
  const watch = api.client().of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  const waiting = watch.next()
  await watch.return?.()
  assert.deepEqual(await waiting, { done: true, value: undefined })
  await api.asked[0]?.gone
})

test('return() ends a watch that is still being opened', async (t) => {
  const api = await startApi(t, () => {})
  const watch = api.client().of(configMaps).watch()[Symbol.asyncIterator]()
  const waiting = watch.next()
  await eventually('the server has it', () => api.asked.length === 1)
  await watch.return?.()
  assert.deepEqual(await waiting, { done: true, value: undefined })
  await api.asked[0]?.gone
})

test("an aborted watch throws the signal's reason, even with events at hand", async (t) => {
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    for (let i = 0; i < 10; i++) watch.send(added(`a-${i}`))
  })
  const reason = new Error('enough')
  const stop = new AbortController()
  const watch = api.client().of(configMaps).watch({ signal: stop.signal })[Symbol.asyncIterator]()
  await watch.next()
  stop.abort(reason)
  await assert.rejects(watch.next(), reason)
  assert.equal((await watch.next()).done, true)
  await api.asked[0]?.gone
  const early = api.client().of(configMaps).watch({ signal: stop.signal })[Symbol.asyncIterator]()
  await assert.rejects(early.next(), reason)
})

test('closing the client ends its watches with KUBE_CLOSED', async (t) => {
  const api = await startApi(t, endless)
  const client = api.client()
  const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  const waiting = assert.rejects(watch.next(), { code: 'KUBE_CLOSED' })
  await client.close()
  await waiting
})

test('a slow consumer stops the reading, not the other watches, and loses nothing', async (t) => {
  const event = `${JSON.stringify({ ...added('a'), filler: 'x'.repeat(10_000) })}\n`
  const total = 1_000
  let written = 0
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    if (asked.query.has('labelSelector')) return watch.send(added('other'))
    for (; written < total; written++)
      if (!watch.raw(event)) await new Promise((resolve) => asked.res.once('drain', resolve))
    watch.end()
  })
  const client = api.client({ options: { watchBufferBytes: 100_000 } })
  const slow = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await slow.next()
  await delay(200)
  const behind = written
  assert.ok(behind < total / 2, `the server could write ${behind} of ${total}`)
  const other = client.of(configMaps).watch({ labelSelector: 'x' })[Symbol.asyncIterator]()
  assert.equal((await other.next()).value?.type, 'ADDED')
  let taken = 1
  for (let next = await slow.next(); !next.done; next = await slow.next()) taken++
  assert.equal(taken, total)
})

test('the metadata of a watch is all there is', async (t) => {
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    watch.send({ type: 'ADDED', object: aConfigMap('a', { data: { big: 'x' } }) })
    watch.end()
  })
  const [event] = await collect(api.client().of(configMaps).metadata.watch())
  assert.deepEqual(event, { type: 'ADDED', object: { metadata: aConfigMap('a').metadata } })
  assert.match(`${api.asked[0]?.headers['accept']}`, /as=PartialObjectMetadata;/)
})

test('a line longer than the buffer arrives, though nobody was waiting when it began', async (t) => {
  const long = { type: 'ADDED', object: aConfigMap('long', { data: { filler: 'x'.repeat(500_000) } }) }
  const api = await startApi(t, (asked) => {
    const watch = asked.watch()
    watch.send(added('a'))
    watch.send(long)
    watch.end()
  })
  const client = api.client({ options: { watchBufferBytes: 50_000 } })
  const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  await delay(50)
  assert.deepEqual((await watch.next()).value, long)
})

test('a line that does not end is given up after 16 MiB', async (t) => {
  let written = 0
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    let isGone = false
    asked.gone.then(() => {
      isGone = true
    })
    for (; written < 64 && !isGone; written++)
      if (!watch.raw(Buffer.alloc(2 ** 20, 'x')))
        await Promise.race([asked.gone, new Promise((resolve) => asked.res.once('drain', resolve))])
  })
  await assert.rejects(collect(api.client().of(configMaps).watch()), {
    code: 'KUBE_BAD_ANSWER',
    message: /a line of the watch is longer than 16 MiB$/,
  })
  await api.asked[0]?.gone
  assert.ok(written < 32, `${written} MiB were written`)
})
