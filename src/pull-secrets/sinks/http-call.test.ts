import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { httpCaller, NoAnswer } from './http-call.ts'

const signal = new AbortController().signal

async function serving(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
const endsIn = (code: string) => (error: unknown) => error instanceof NoAnswer && error.code === code

test('an answer comes with its status, its text and what it means as JSON; redirects are not followed', async (t) => {
  const url = await serving(t, (request, response) => {
    response.writeHead(302, { location: '/elsewhere' })
    request.pipe(response)
  })
  const answer = await httpCaller(systemClock)({ method: 'POST', url, body: { a: 1 } }, signal)
  assert.deepEqual(answer, { status: 302, text: '{"a":1}', json: { a: 1 } })
})

test('a server that does not answer in time, answers too much, hangs up or is not there is no answer', async (t) => {
  const call = httpCaller(systemClock, { timeoutMs: 50 })
  await assert.rejects(call({ method: 'GET', url: await serving(t, () => {}) }, signal), endsIn('TIMEOUT'))
  const patient = httpCaller(systemClock)
  const large = await serving(t, (_, response) => void response.end('x'.repeat(2_000_000)))
  await assert.rejects(patient({ method: 'GET', url: large }, signal), endsIn('TOO_LARGE'))
  // Each piece takes some hundred bytes of memory, however short it is.
  const slow = await serving(t, (_, response) => {
    for (let n = 0; n < 20_000; n++) response.write('x')
    response.end()
  })
  await assert.rejects(patient({ method: 'GET', url: slow }, signal), endsIn('TOO_LARGE'))
  const rude = await serving(t, (request) => void request.socket.destroy())
  await assert.rejects(patient({ method: 'GET', url: rude }, signal), endsIn('ECONNRESET'))
  await assert.rejects(patient({ method: 'GET', url: 'http://127.0.0.1:1/' }, signal), endsIn('ECONNREFUSED'))
})

test('a caller that gives up gets its own reason', async (t) => {
  const url = await serving(t, () => {})
  const stop = new AbortController()
  const asked = httpCaller(systemClock)({ method: 'GET', url }, stop.signal)
  const reason = new Error('enough')
  stop.abort(reason)
  await assert.rejects(asked, (error) => error === reason)
})
