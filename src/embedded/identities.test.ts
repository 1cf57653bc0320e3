import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import type { CertifiedKey } from '../pki/index.ts'
import { publicKeyOf, readCertificate, whyUntrusted } from '../pki/index.ts'
import type { Identities } from './identities.ts'
import { ensureIdentities } from './identities.ts'

const loopback = '127.0.0.1'

/** All that is in them, to compare. */
const toldOf = (identities: Identities): string[] =>
  Object.values(identities).map(({ keyPem, certPem = '' }: Partial<CertifiedKey>) => `${certPem}${keyPem?.reveal()}`)

const isTrusted = ({ certPem }: CertifiedKey, ca: CertifiedKey, clock: FakeClock, usage: 'server' | 'client') =>
  whyUntrusted(certPem, ca.certPem, clock.now(), { usage }) === undefined

test('servers and clients have authorities of their own, and each certificate is good for one thing', async (t) => {
  const clock = new FakeClock()
  const { serverCa, clientCa, server, admin } = await ensureIdentities(tempDir(t), clock, loopback)
  assert.ok(isTrusted(server, serverCa, clock, 'server'))
  assert.ok(isTrusted(admin, clientCa, clock, 'client'))
  assert.ok(!isTrusted(server, clientCa, clock, 'server') && !isTrusted(admin, serverCa, clock, 'client'))
  assert.ok(!isTrusted(server, serverCa, clock, 'client') && !isTrusted(admin, clientCa, clock, 'server'))
  const { commonName, organizations } = readCertificate(admin.certPem).subject
  assert.deepEqual([commonName, organizations], ['kubernetes-admin', ['system:masters']])
})

test('what a folder holds is kept, whole and for its owner alone', async (t) => {
  const dir = tempDir(t)
  const clock = new FakeClock()
  const first = await ensureIdentities(dir, clock, loopback)
  const second = await ensureIdentities(dir, clock, loopback)
  assert.deepEqual(toldOf(second), toldOf(first))
  assert.equal(second.serviceAccounts.publicKeyPem, publicKeyOf(first.serviceAccounts.keyPem))
  const files = readdirSync(join(dir, 'pki'))
  assert.deepEqual(files.sort(), ['admin.pem', 'client-ca.pem', 'server-ca.pem', 'server.pem', 'service-accounts.pem'])
  for (const file of files) assert.equal(statSync(join(dir, 'pki', file)).mode & 0o777, 0o600, file)
})

test('certificates that are about to end are replaced, authorities and keys of accounts are not', async (t) => {
  const dir = tempDir(t)
  const clock = new FakeClock()
  const first = await ensureIdentities(dir, clock, loopback)
  await clock.advance('274d')
  assert.deepEqual(toldOf(await ensureIdentities(dir, clock, loopback)), toldOf(first))
  await clock.advance('2d')
  const second = await ensureIdentities(dir, clock, loopback)
  assert.notEqual(second.server.certPem, first.server.certPem)
  assert.notEqual(second.admin.certPem, first.admin.certPem)
  assert.deepEqual([second.serverCa.certPem, second.clientCa.certPem], [first.serverCa.certPem, first.clientCa.certPem])
  assert.equal(second.serviceAccounts.publicKeyPem, first.serviceAccounts.publicKeyPem)
  assert.ok(isTrusted(second.server, second.serverCa, clock, 'server'))
})

test('a new authority brings new certificates', async (t) => {
  const dir = tempDir(t)
  const clock = new FakeClock()
  const first = await ensureIdentities(dir, clock, loopback)
  rmSync(join(dir, 'pki', 'server-ca.pem'))
  const second = await ensureIdentities(dir, clock, loopback)
  assert.notEqual(second.serverCa.certPem, first.serverCa.certPem)
  assert.ok(isTrusted(second.server, second.serverCa, clock, 'server'))
  assert.equal(second.admin.certPem, first.admin.certPem)
})

test('the server’s certificate names every host it is served under', async (t) => {
  const dir = tempDir(t)
  const clock = new FakeClock()
  const sansWith = async (host: string) =>
    readCertificate((await ensureIdentities(dir, clock, host)).server.certPem).sans
  assert.ok((await sansWith(loopback)).ipAddresses.includes(loopback))
  assert.ok((await sansWith('192.0.2.7')).ipAddresses.includes('192.0.2.7'))
  assert.ok((await sansWith('hub.example.com')).dnsNames.includes('hub.example.com'))
  for (const host of ['0.0.0.0', '::', 'localhost']) {
    const { dnsNames, ipAddresses } = await sansWith(host)
    assert.ok(dnsNames.includes('localhost') && ipAddresses.includes('::1'))
    assert.ok(!ipAddresses.includes(host), host)
  }
})

test('a file without a key is made anew', async (t) => {
  const dir = tempDir(t)
  mkdirSync(join(dir, 'pki'), { mode: 0o700 })
  writeFileSync(join(dir, 'pki', 'admin.pem'), '')
  const { admin, clientCa } = await ensureIdentities(dir, new FakeClock(), loopback)
  assert.ok(isTrusted(admin, clientCa, new FakeClock(), 'client'))
  assert.match(readFileSync(join(dir, 'pki', 'admin.pem'), 'utf8'), /BEGIN CERTIFICATE.*BEGIN PRIVATE KEY/s)
})

test('keys are never printed', async (t) => {
  const identities = await ensureIdentities(tempDir(t), new FakeClock(), loopback)
  assert.doesNotMatch(JSON.stringify(identities), /PRIVATE KEY/)
})
