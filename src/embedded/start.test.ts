import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { ipv4Loopback, listeningAddresses } from '../../test/support/listening.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import type { TestScope } from '../../test/support/test-scope.ts'
import { teardown } from '../../test/support/test-scope.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import { configMaps, serviceAccounts } from '../kube/kinds.ts'
import { readCertificate, whyUntrusted } from '../pki/index.ts'
import type { EmbeddedOptions } from './start.ts'
import { startEmbedded } from './start.ts'

async function start(t: TestScope, dir: string, options: Partial<EmbeddedOptions> = {}) {
  const plane = await startEmbedded({ dir, clock: systemClock, random: systemRandom, log: silentLog, ...options })
  teardown(t, () => plane.close())
  return plane
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

function filesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(dir, entry.name)) : [join(dir, entry.name)],
  )
}

test('E1: everything is under one folder, which is its owner’s alone', async (t) => {
  const dir = join(tempDir(t), 'kube')
  const { adminKubeconfigPath } = await start(t, dir)
  assert.equal(modeOf(dir), 0o700)
  assert.equal(adminKubeconfigPath, join(dir, 'admin.kubeconfig'))
  for (const file of filesIn(dir)) assert.equal(modeOf(file), 0o600, file)
})

test('E1: it serves on the loopback interface', async (t) => {
  const { url } = await start(t, join(tempDir(t), 'kube'))
  assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/)
  if (process.platform !== 'linux') return
  for (const address of listeningAddresses(process.pid)) assert.equal(address, ipv4Loopback)
})

test('E1: it has an authority of its own for servers and another for clients', async (t) => {
  const { identities } = await start(t, join(tempDir(t), 'kube'))
  const { server, serverCa, clientCa, admin } = identities
  const now = systemClock.now()
  assert.equal(whyUntrusted(server.certPem, serverCa.certPem, now, { usage: 'server' }), undefined)
  assert.equal(whyUntrusted(admin.certPem, clientCa.certPem, now, { usage: 'client' }), undefined)
  assert.ok(whyUntrusted(server.certPem, clientCa.certPem, now, { usage: 'server' }))
  const { sans, subject } = readCertificate(server.certPem)
  assert.ok(sans.ipAddresses.includes('127.0.0.1') && sans.dnsNames.includes('localhost'))
  assert.ok(sans.dnsNames.includes('kubernetes.default.svc'))
  assert.ok(subject)
})

test('E3: what was written is there at the next start, at the same address and with the same keys', async (t) => {
  const dir = join(tempDir(t), 'kube')
  const first = await start(t, dir)
  const { metadata } = await first.kube.of(configMaps, 'default').create({ metadata: { name: 'kept' } })
  await first.close()
  const second = await start(t, dir)
  const kept = await second.kube.of(configMaps, 'default').get('kept')
  assert.deepEqual([kept.metadata.uid, kept.metadata.resourceVersion], [metadata.uid, metadata.resourceVersion])
  assert.equal(second.url, first.url)
  assert.equal(second.identities.admin.certPem, first.identities.admin.certPem)
  const next = await second.kube.of(configMaps, 'default').create({ metadata: { name: 'next' } })
  assert.ok(Number(next.metadata.resourceVersion) > Number(metadata.resourceVersion))
})

test('E3: a second one on the same folder refuses and names the first', async (t) => {
  const dir = join(tempDir(t), 'kube')
  await start(t, dir)
  await assert.rejects(start(t, dir), (error: Error & { code: string }) => {
    assert.equal(error.code, 'EMBEDDED_FOLDER_IN_USE')
    assert.match(error.message, new RegExp(`process ${process.pid} `))
    return true
  })
})

test('several run on one machine, each with its own data', async (t) => {
  const dir = tempDir(t)
  const [one, two] = await Promise.all([start(t, join(dir, 'one')), start(t, join(dir, 'two'))])
  await one.kube.of(configMaps, 'default').create({ metadata: { name: 'mine' } })
  assert.equal(await two.kube.of(configMaps, 'default').find('mine'), undefined)
  assert.notEqual(one.url, two.url)
})

test('a port that somebody else has is told, and one it had before is given up', async (t) => {
  const dir = tempDir(t)
  const one = await start(t, join(dir, 'one'))
  const port = Number(new URL(one.url).port)
  await assert.rejects(start(t, join(dir, 'two'), { port }), { code: 'EMBEDDED_PORT_TAKEN' })
  assert.ok(readFileSync(join(dir, 'one', 'port'), 'utf8').includes(String(port)))
})

test('only the controllers that were asked for run', async (t) => {
  const plane = await start(t, join(tempDir(t), 'kube'), { controllers: ['root-ca-certificate-publisher-controller'] })
  await eventually('the root is told', () => plane.kube.of(configMaps, 'default').find('kube-root-ca.crt'))
  assert.equal(await plane.kube.of(serviceAccounts, 'default').find('default'), undefined)
  await assert.rejects(start(t, join(tempDir(t), 'kube'), { controllers: ['no-such'] }), { code: 'CONTROLLER_UNKNOWN' })
})

test('a start that fails leaves the folder free', async (t) => {
  const dir = join(tempDir(t), 'kube')
  await assert.rejects(start(t, dir, { controllers: ['no-such'] }))
  await start(t, dir)
})
