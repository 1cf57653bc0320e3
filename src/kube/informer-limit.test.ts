import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { silentLog } from '../core/log.ts'
import { randomFrom } from '../core/random.ts'
import { informer } from './informer.ts'
import type { Source } from './list-watch.ts'
import type { Stored } from './objects.ts'

const configMap = (n: number, bytes: number): Stored<ConfigMap> => ({
  metadata: { name: `map-${n}`, uid: `${n}`, resourceVersion: `${n + 1}` },
  data: { value: 'x'.repeat(bytes) },
})

/** A hostile server: `list` and `watch` say what it sends. */
async function watched(t: { after(end: () => Promise<void>): void }, source: Omit<Source<ConfigMap>, 'mostKeptBytes'>) {
  const clock = new FakeClock()
  const informed = informer<ConfigMap>(
    { ...source, mostKeptBytes: 2_000_000 },
    { clock, log: silentLog, random: randomFrom(() => 0) },
  )
  const stop = new AbortController()
  const running = informed.run(stop.signal)
  t.after(() => {
    stop.abort()
    return running
  })
  await clock.settle()
  return { clock, informed }
}

test('a list that does not end is given up, and nothing of it is kept', async (t) => {
  let pages = 0
  const { clock, informed } = await watched(t, {
    async *pages() {
      for (; pages < 1_000; pages++)
        yield { metadata: { resourceVersion: '1', continue: 'more' }, items: [configMap(pages, 100_000)] }
    },
    async *watch() {},
  })
  assert.ok(pages < 20, `${pages} pages were read`)
  assert.deepEqual([informed.isSynced, informed.size], [false, 0])
  await clock.advance('1s')
  assert.ok(pages < 60, `${pages} pages were read within a second`)
})

test('a list of pages without objects ends as well', async (t) => {
  let pages = 0
  await watched(t, {
    async *pages() {
      for (; pages < 1_000; pages++) yield { metadata: { resourceVersion: '1', continue: 'more' }, items: [] }
    },
    async *watch() {},
  })
  assert.ok(pages < 50, `${pages} pages were read`)
})

test('a watch that adds without end is given up, and what it brought is forgotten', async (t) => {
  let [events, lists] = [0, 0]
  const { informed } = await watched(t, {
    async *pages() {
      lists++
      if (lists === 1) yield { metadata: { resourceVersion: '1' }, items: [configMap(0, 10)] }
      else throw new Error('not now')
    },
    async *watch() {
      for (; events < 1_000; events++) yield { type: 'ADDED', object: configMap(events, 100_000) }
    },
  })
  assert.ok(events < 20, `${events} events were read`)
  assert.deepEqual([informed.isSynced, informed.size], [false, 0])
})

test('what is changed again and again, or goes, does not count twice', async (t) => {
  const { informed } = await watched(t, {
    async *pages() {
      yield { metadata: { resourceVersion: '1' }, items: [configMap(0, 10)] }
    },
    async *watch({ signal } = {}) {
      for (let event = 1; event < 100; event++) {
        const object = configMap(event, 100_000)
        yield { type: 'ADDED', object }
        yield { type: 'DELETED', object }
      }
      yield {
        type: 'MODIFIED',
        object: { ...configMap(0, 20), metadata: { name: 'map-0', uid: '0', resourceVersion: '200' } },
      }
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  assert.deepEqual([informed.isSynced, informed.get('map-0')?.metadata.resourceVersion], [true, '200'])
})
