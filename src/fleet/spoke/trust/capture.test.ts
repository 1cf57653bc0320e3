import assert from 'node:assert/strict'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createServer as createTls } from 'node:tls'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { everywhere } from '../../../core/egress.ts'
import { captureChain } from './capture.ts'
import { aLeaf, anAuthority, tlsServer } from './testing/tls-server.ts'

const clock = new FakeClock(new Date())
const root = await anAuthority('root', clock)
const middle = await anAuthority('middle', clock, root)
const leaf = await aLeaf(middle, clock)

/** Takes connections and says nothing. */
async function silentServer(t: TestContext): Promise<{ url: string; readonly connections: number }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => void open.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    get connections() {
      return open.size
    },
  }
}

test('it gives what the server shows in the order shown, and sends nothing', async (t) => {
  const server = await tlsServer(t, leaf, middle, root)
  const { chain, hostname } = await captureChain(`${server.url}/prefix`, { egress: everywhere, clock })
  assert.deepEqual(chain, [leaf.certPem, middle.certPem, root.certPem])
  assert.equal(hostname, '127.0.0.1')
  assert.equal(server.connections, 1)
  assert.equal(server.received, '')
})

test('nothing of this machine is added to what is shown', async (t) => {
  const server = await tlsServer(t, leaf)
  assert.deepEqual((await captureChain(server.url, { egress: everywhere, clock })).chain, [leaf.certPem])
})

test('a server that is not there is unreachable', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(captureChain(`https://127.0.0.1:${port}`, { egress: everywhere, clock }), {
    code: 'SPOKE_UNREACHABLE',
  })
  await assert.rejects(captureChain('http://127.0.0.1:1', { egress: everywhere, clock }), { code: 'SPOKE_INVALID' })
})

test('a server that never finishes TLS is given up after 5 seconds, and not before', async (t) => {
  const own = new FakeClock(new Date())
  const server = await silentServer(t)
  let isOver = false
  const capture = captureChain(server.url, { egress: everywhere, clock: own }).finally(() => {
    isOver = true
  })
  capture.catch(() => {})
  await eventually('it is connected', () => server.connections === 1)
  // The handshake begins a turn after the connection.
  await eventually('the handshake is timed', () => own.settle().then(() => own.nextDue !== undefined))
  await own.advance(4_900)
  assert.equal(isOver, false)
  await own.advance(200)
  await assert.rejects(capture, { code: 'SPOKE_TRUST_FAILED' })
})

test('whoever gives up ends it at once, with their own reason', async (t) => {
  const server = await silentServer(t)
  const stop = new AbortController()
  const capture = captureChain(server.url, { egress: everywhere, clock, signal: stop.signal })
  await eventually('it is connected', () => server.connections === 1)
  stop.abort(new Error('enough'))
  await assert.rejects(capture, /enough/)
  await assert.rejects(captureChain(server.url, { egress: everywhere, clock, signal: stop.signal }), /enough/)
})

test('TLS 1.1 is refused', async (t) => {
  const options = { cert: leaf.certPem, key: leaf.keyPem.reveal() }
  const server = createTls({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  await assert.rejects(captureChain(url, { egress: everywhere, clock }), { code: 'SPOKE_TRUST_FAILED' })
})

test('a server cannot keep the hub busy with a thousand certificates', async (t) => {
  const server = await tlsServer(t, leaf, ...Array.from({ length: 20 }, () => middle))
  await assert.rejects(captureChain(server.url, { egress: everywhere, clock }), {
    code: 'SPOKE_TRUST_FAILED',
    message: /more than 10/,
  })
})
