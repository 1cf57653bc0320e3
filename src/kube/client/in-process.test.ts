import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { systemRandom } from '../../core/random.ts'
import type { InProcessAnswer, InProcessRequest, LineSink } from './in-process.ts'
import { kubeInProcess } from './in-process.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'

const json = (code: number, object: unknown): InProcessAnswer => ({
  ...{ code, contentType: 'application/json', body: JSON.stringify(object) },
})

const lineOf = (name: string, data?: Record<string, string>) =>
  Buffer.from(`${JSON.stringify({ type: 'ADDED', object: aConfigMap(name, data && { data }) })}\n`)

/** A server that answers as it is told and keeps what it was asked. */
function kubeOn(answer: (request: InProcessRequest) => InProcessAnswer | Promise<InProcessAnswer>) {
  const asked: InProcessRequest[] = []
  const kube = kubeInProcess(
    {
      async answer(request) {
        asked.push(request)
        return answer(request)
      },
    },
    systemRandom,
  )
  return { kube, asked }
}

/** Answers with a watch that the test feeds. */
function watched() {
  const state = { sink: undefined as LineSink | undefined, isDisposed: false, resumed: 0 }
  const { kube } = kubeOn(() => ({
    open(sink) {
      state.sink = sink
      return {
        resume: () => void state.resumed++,
        [Symbol.dispose]() {
          if (state.isDisposed) return
          state.isDisposed = true
          sink.end()
        },
      }
    },
  }))
  return { kube, state, give: (line: Buffer) => state.sink?.take(line) ?? assert.fail('not open') }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a request is made as over the network, and answered with the object', async () => {
  const { kube, asked } = kubeOn(() => json(201, aConfigMap('a')))
  const made = await kube.of(configMaps, 'here').create({ metadata: { name: 'a' } }, { dryRun: true })
  assert.equal(made.metadata.uid, 'uid-a')
  const [{ method, path, query, accept, contentType, body } = assert.fail()] = asked
  assert.deepEqual(
    [method, path, accept, contentType],
    [...['POST', '/api/v1/namespaces/here/configmaps', 'application/json', 'application/json']],
  )
  assert.match(query, /^\?.*dryRun=All/)
  assert.equal(JSON.parse(body.toString()).metadata.name, 'a')
})

test('the server’s "no" is thrown in its words', async () => {
  const status = {
    kind: 'Status',
    status: 'Failure',
    message: 'configmaps "a" not found',
    reason: 'NotFound',
    code: 404,
  }
  const { kube } = kubeOn(() => json(404, status))
  await assert.rejects(kube.of(configMaps, 'here').get('a'), { message: /configmaps "a" not found/ })
  assert.equal(await kube.of(configMaps, 'here').find('a'), undefined)
  const watch = kube.of(configMaps, 'here').watch()[Symbol.asyncIterator]()
  await assert.rejects(watch.next(), { message: /configmaps "a" not found/ })
})

test('an answer that is none is told', async () => {
  const { kube } = kubeOn(() => ({ code: 200, contentType: 'application/json', body: '{"half' }))
  await assert.rejects(kube.of(configMaps, 'here').get('a'), { code: 'KUBE_BAD_ANSWER' })
  await assert.rejects(kube.of(configMaps, 'here').watch()[Symbol.asyncIterator]().next(), { code: 'KUBE_BAD_ANSWER' })
  const { kube: watching } = watched()
  await assert.rejects(watching.of(configMaps, 'here').get('a'), { code: 'KUBE_BAD_ANSWER' })
})

test('a call that is aborted is not made, or not answered', async () => {
  const stop = new AbortController()
  const { kube, asked } = kubeOn(async () => {
    stop.abort(new Error('enough'))
    return json(200, aConfigMap('a'))
  })
  const here = kube.of(configMaps, 'here')
  await assert.rejects(here.get('a', { signal: stop.signal }), { message: 'enough' })
  await assert.rejects(here.get('a', { signal: stop.signal }), { message: 'enough' })
  assert.equal(asked.length, 1)
})

test('events come as they are given, until the server ends the watch', async () => {
  const { kube, state, give } = watched()
  const watch = kube.of(configMaps, 'here').watch()[Symbol.asyncIterator]()
  const first = watch.next()
  await turn()
  give(lineOf('a'))
  assert.equal((await first).value?.type, 'ADDED')
  give(lineOf('b'))
  state.sink?.end()
  const next = (await watch.next()).value
  assert.equal(next?.type === 'ADDED' && next.object.metadata.name, 'b')
  assert.equal((await watch.next()).done, true)
})

test("an aborted watch throws the signal's reason, whether somebody waits for an event or not", async () => {
  for (const waits of [true, false]) {
    const { kube, state, give } = watched()
    const stop = new AbortController()
    const watch = kube.of(configMaps, 'here').watch({ signal: stop.signal })[Symbol.asyncIterator]()
    const first = watch.next()
    await turn()
    give(lineOf('a'))
    await first
    const waiting = waits ? watch.next() : undefined
    if (!waits) give(lineOf('b'))
    stop.abort(new Error('enough'))
    await assert.rejects(waiting ?? watch.next(), { message: 'enough' })
    assert.ok(state.isDisposed)
    assert.equal((await watch.next()).done, true)
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
  }
})

test('a watch that is left ends at the server, and lets go of the signal', async () => {
  const { kube, state, give } = watched()
  const stop = new AbortController()
  const watch = kube.of(configMaps, 'here').watch({ signal: stop.signal })[Symbol.asyncIterator]()
  const first = watch.next()
  await turn()
  give(lineOf('a'))
  await first
  const waiting = watch.next()
  await watch.return?.()
  assert.deepEqual([(await waiting).done, state.isDisposed], [true, true])
})

test('a reader that is behind holds the server back, and loses nothing', async () => {
  const { kube, state, give } = watched()
  const watch = kube.of(configMaps, 'here').watch()[Symbol.asyncIterator]()
  const first = watch.next()
  await turn()
  const large = { value: 'x'.repeat(300_000) }
  const taken = ['a', 'b', 'c', 'd', 'e'].map((name) => give(lineOf(name, large)))
  assert.deepEqual(taken, [true, true, true, true, false])
  const names: string[] = []
  for (let event = await first; names.length < 5; event = await watch.next()) {
    if (event.value?.type === 'ADDED') names.push(event.value.object.metadata.name)
    if (names.length === 5) break
  }
  assert.deepEqual([names, state.resumed], [['a', 'b', 'c', 'd', 'e'], 1])
  assert.equal(give(lineOf('f')), true)
})
