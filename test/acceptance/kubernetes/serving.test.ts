/** What a server says of itself. */
import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { teardown } from '../../support/test-scope.ts'

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const ask = (path: string) => rawRequest(plane, { path })
  return { plane, ask }
}

describe('serving', needsControlPlane, () => {
  test('E1: HTTP/2 and HTTP/1.1 on one port', async (t) => {
    const { plane, ask } = await scene(t)
    assert.equal((await ask('/version')).code, 200)
    const session = connectHttp2(plane.url, { ca: plane.caPem })
    teardown(t, () => session.destroy())
    const status = await new Promise((resolve, reject) => {
      session.once('error', reject)
      const stream = session.request({ ':path': '/version' })
      stream.once('response', (headers) => resolve(headers[':status']))
      stream.resume().end()
    })
    assert.equal(status, 200)
    assert.equal(session.alpnProtocol, 'h2')
    assert.equal(session.remoteSettings.maxConcurrentStreams, 100)
  })

  test('E1: its certificate is for the names it is called by, and clients may show one', async (t) => {
    const { plane } = await scene(t)
    const { port } = new URL(plane.url)
    for (const servername of ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']) {
      const socket = connectTls({ host: '127.0.0.1', port: Number(port), ca: plane.caPem, servername })
      teardown(t, () => void socket.destroy())
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
      assert.equal(socket.authorized, true, servername)
    }
  })

  test('E2: /version', async (t) => {
    const { ask } = await scene(t)
    const { code, json } = await ask('/version')
    assert.equal(code, 200)
    assert.deepEqual([json.major, json.minor], ['1', '36'])
    assert.match(json.gitVersion, /^v1\.36\./)
    assert.equal(typeof json.platform, 'string')
  })

  for (const path of ['/livez', '/readyz', '/healthz'])
    test(`E2: ${path}, in short, with every check, and with one left out`, async (t) => {
      const { ask } = await scene(t)
      const short = await ask(path)
      assert.deepEqual([short.code, short.text], [200, 'ok'])
      assert.match(short.headers['content-type'] ?? '', /^text\/plain; charset=utf-8/)
      const verbose = await ask(`${path}?verbose`)
      assert.match(verbose.text, /^\[\+\]ping ok\n(\[\+\][\w/-]+ ok\n)+/)
      assert.match(verbose.text, new RegExp(`\\n${path.slice(1)} check passed\\n$`))
      const excluded = await ask(`${path}?verbose&exclude=ping`)
      assert.match(excluded.text, /^\[\+\]ping excluded: ok\n/)
      const one = await ask(`${path}/ping`)
      assert.deepEqual([one.code, one.text], [200, 'ok'])
      assert.equal((await ask(`${path}/nothing`)).code, 404)
    })

  test('E2: /metrics in the text format of Prometheus', async (t) => {
    const { ask } = await scene(t)
    const { code, headers, text } = await ask('/metrics')
    assert.equal(code, 200)
    assert.match(headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/)
    assert.match(text, /^# HELP process_resident_memory_bytes /m)
    assert.match(text, /^apiserver_request_total\{/m)
  })

  test('E2: a stranger may ask for health and version and not for metrics', async (t) => {
    const { plane } = await scene(t)
    const ask = async (path: string) => (await rawRequest(plane, { path, certificate: null })).code
    assert.deepEqual(
      [await ask('/livez'), await ask('/readyz'), await ask('/healthz'), await ask('/version')],
      [200, 200, 200, 200],
    )
    assert.equal(await ask('/metrics'), 403)
  })
})
