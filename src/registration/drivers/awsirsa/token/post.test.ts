import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'
import { postVia } from './post.ts'

async function serve(t: TestScope, listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) }
}

const { signal } = new AbortController()

test('what is posted arrives whole, and the answer comes with the clock of the server', async (t) => {
  const { url } = await serve(t, async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    response.writeHead(403, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' })
    response.end(`${request.method} ${request.headers['x-a']} ${request.headers['content-length']} ${body}`)
  })
  assert.deepEqual(await postVia({})(url, { 'x-a': 'b' }, 'é=1', signal), {
    status: 403,
    text: 'POST b 4 é=1',
    at: new Date('2026-01-01T00:00:00Z'),
  })
})

test('https goes through the proxy of the environment, unless NO_PROXY names the host', async (t) => {
  const asked: (string | undefined)[] = []
  const { server, url } = await serve(t, () => {})
  server.on('connect', (request, socket) => {
    asked.push(request.url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const sts = new URL('https://sts.invalid/')
  await assert.rejects(postVia({ HTTPS_PROXY: url.href })(sts, {}, '', signal))
  assert.deepEqual(asked, ['sts.invalid:443'])
  await assert.rejects(postVia({ HTTPS_PROXY: url.href, NO_PROXY: '.invalid' })(sts, {}, '', signal))
  assert.equal(asked.length, 1)
})

test('an answer without end is cut off', async (t) => {
  const { url } = await serve(t, (_, response) => void response.end('x'.repeat(1024 * 1024)))
  await assert.rejects(postVia({})(url, {}, '', signal), /too long/)
})

test('a request ends with its signal', async (t) => {
  const { url } = await serve(t, () => {})
  const stop = new AbortController()
  const answer = postVia({})(url, {}, '', stop.signal)
  stop.abort()
  await assert.rejects(answer, { name: 'AbortError' })
})
