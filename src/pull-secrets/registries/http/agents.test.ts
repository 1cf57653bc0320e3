import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { issueForClient, issueForServer, testAuthority } from '../../../../test/support/control-plane/identities.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { systemClock } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { systemRandom } from '../../../core/random.ts'
import { openLine, registryHttp } from './index.ts'
import type { OwnAuth } from './own-credentials.ts'
import { get } from './testing/client-scene.ts'

const { signal } = new AbortController()

async function scene(t: TestContext) {
  const dir = tempDir(t)
  const [serverCa, clientCa] = await Promise.all([testAuthority('servers'), testAuthority('clients')])
  const server = await issueForServer(serverCa, { ipAddresses: ['127.0.0.1'] })
  const callers: string[] = []
  const listener = createServer(
    {
      cert: server.certPem,
      key: server.keyPem.reveal(),
      ca: clientCa.certPem,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      callers.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN))
      response.end('{}')
    },
  )
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    listener.closeAllConnections()
    listener.close()
  })
  const [caFile = '', certFile = '', keyFile = ''] = ['ca', 'cert', 'key'].map((name) => join(dir, name))
  writeFileSync(caFile, serverCa.certPem)
  const issued = (commonName: string) => issueForClient(clientCa, { commonName })
  const client = (auth: OwnAuth) => {
    const line = openLine(
      { registry: 'redhat', auth, rate: { rps: 100, burst: 100 }, timeoutMs: 5_000 },
      { clock: systemClock, random: systemRandom, log: silentLog, metrics: noMetrics, retryBaseMs: 1 },
    )
    const http = registryHttp(line, `https://127.0.0.1:${(listener.address() as AddressInfo).port}`, 'request')
    return () => http.call(get('redhat', { name: 'a' }), { repeat: 'safe', signal })
  }
  return { callers, caFile, certFile, keyFile, issued, client }
}

test('a client certificate is presented, and the new one once its files change', async (t) => {
  const { callers, caFile, certFile, keyFile, issued, client } = await scene(t)
  const [first, second] = await Promise.all([issued('first'), issued('second')])
  writeFileSync(certFile, first.certPem)
  writeFileSync(keyFile, first.keyPem.reveal())
  const call = client({ caFile, certFile, keyFile })
  await call()
  // Halfway through the replacement the key does not fit: the old connections stay in use.
  writeFileSync(certFile, second.certPem)
  await call()
  writeFileSync(keyFile, second.keyPem.reveal())
  await call()
  assert.deepEqual(callers, ['first', 'first', 'second'])
})

test('a server that nobody vouches for is not spoken to', async (t) => {
  const { callers, certFile, keyFile, issued, client } = await scene(t)
  const { certPem, keyPem } = await issued('first')
  writeFileSync(certFile, certPem)
  writeFileSync(keyFile, keyPem.reveal())
  await assert.rejects(client({ certFile, keyFile })(), { code: 'REGISTRY_UNAVAILABLE' })
  assert.deepEqual(callers, [])
})

test('files of certificates that cannot be read are a matter of our credentials', async (t) => {
  const { caFile, certFile, keyFile, client } = await scene(t)
  await assert.rejects(client({ caFile, certFile, keyFile })(), { code: 'REGISTRY_UNAUTHORIZED' })
  await assert.rejects(client({ caFile: `${caFile}-none` })(), { code: 'REGISTRY_UNAUTHORIZED' })
  writeFileSync(certFile, 'no certificate')
  writeFileSync(keyFile, 'no key')
  await assert.rejects(client({ caFile, certFile, keyFile })(), { code: 'REGISTRY_UNAUTHORIZED' })
})
