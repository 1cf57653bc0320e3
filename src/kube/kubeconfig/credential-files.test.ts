import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { createLog } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import type { Content, FileDeps } from './credential-files.ts'
import { keyPair, tokenFile } from './credential-files.ts'
import type { Folder } from './testing/fixtures.ts'
import { aCertificate, aFolder, failureOf, mustNotShow } from './testing/fixtures.ts'

const [old, renewed] = [await aCertificate('old'), await aCertificate('renewed')]

/** Real files, a clock that stands still, and everything that was read or logged. */
function aDesk() {
  const clock = new FakeClock()
  const lines: string[] = []
  const reads: string[] = []
  const log = createLog({ destination: { write: (line: string) => lines.push(line) }, clock })
  const deps: FileDeps = {
    clock,
    log,
    readFile: (path) => {
      reads.push(path)
      return readFile(path, 'utf8')
    },
  }
  return { clock, deps, lines, reads }
}

const pairIn = (folder: Folder, deps: FileDeps) =>
  keyPair({ certificate: { file: folder.at('tls.crt') }, key: { file: folder.at('tls.key') } }, deps)

test('a token is read without the white space around it, and again when it changed', async (t) => {
  const folder = aFolder(t)
  const { clock, deps } = aDesk()
  const token = tokenFile(folder.write('token', ' first\n'), deps)
  assert.equal((await token.current()).reveal(), 'first')
  folder.write('token', 'second')
  await clock.advance('1s')
  assert.equal((await token.current()).reveal(), 'second')
})

test('within a second nothing is read twice, unless a refresh is asked for', async (t) => {
  const folder = aFolder(t)
  const { clock, deps, reads } = aDesk()
  const token = tokenFile(folder.write('token', 'first'), deps)
  const answers = await Promise.all(Array.from({ length: 50 }, () => token.current()))
  assert.equal(new Set(answers).size, 1)
  assert.equal(reads.length, 1)
  folder.write('token', 'second')
  await clock.advance('999ms')
  assert.equal((await token.current()).reveal(), 'first')
  assert.equal((await token.current({ refresh: true })).reveal(), 'second')
  assert.equal(reads.length, 2)
})

test('a refresh does not trust a reading that began before it', async (t) => {
  const folder = aFolder(t)
  const { deps } = aDesk()
  const token = tokenFile(folder.write('token', 'first'), deps)
  const early = token.current()
  await early
  const slow = token.current({ refresh: true })
  folder.write('token', 'second')
  assert.equal((await token.current({ refresh: true })).reveal(), 'second')
  await slow
})

test('a clock that was set back does not keep old content alive', async (t) => {
  const folder = aFolder(t)
  const { clock, deps } = aDesk()
  const token = tokenFile(folder.write('token', 'first'), deps)
  await token.current()
  folder.write('token', 'second')
  await clock.jumpTo(new Date('2020-01-01T00:00:00Z'))
  assert.equal((await token.current()).reveal(), 'second')
})

test('a token file that was emptied or removed leaves the last token in use, and is logged once', async (t) => {
  const folder = aFolder(t)
  const { clock, deps, lines } = aDesk()
  const token = tokenFile(folder.write('token', 'canary-token'), deps)
  await token.current()
  for (const spoil of [
    () => folder.write('token', ''),
    () => folder.write('token', 'two\nlines'),
    () => rmSync(folder.at('token')),
  ]) {
    spoil()
    await clock.advance('2s')
    assert.equal((await token.current()).reveal(), 'canary-token')
  }
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"code":"KUBECONFIG_CREDENTIAL_FILE".*credential files not usable/)
  mustNotShow(lines, 'canary-token')

  folder.write('token', 'fresh')
  await clock.advance('2s')
  assert.equal((await token.current()).reveal(), 'fresh')
  rmSync(folder.at('token'))
  await clock.advance('2s')
  await token.current()
  assert.equal(lines.length, 2, 'trouble that comes back is told again')
})

test('a token file that was never there fails, unless there is a token to begin with', async (t) => {
  const folder = aFolder(t)
  const { clock, deps } = aDesk()
  await failureOf(() => tokenFile(folder.at('token'), deps).current(), 'KUBECONFIG_UNREADABLE')
  const withToken = tokenFile(folder.at('token'), deps, Secret.of('given'))
  assert.equal((await withToken.current()).reveal(), 'given')
  folder.write('token', 'from the file'.replaceAll(' ', '-'))
  await clock.advance('2s')
  assert.equal((await withToken.current()).reveal(), 'from-the-file')
})

test('a new pair is used once both of its halves are there', async (t) => {
  const folder = aFolder(t)
  const { clock, deps } = aDesk()
  folder.write('tls.crt', old.certPem)
  folder.write('tls.key', old.keyPem)
  const pair = pairIn(folder, deps)
  const before = await pair.current()

  folder.write('tls.crt', renewed.certPem)
  await clock.advance('2s')
  assert.equal(await pair.current(), before, 'the new certificate has the old key beside it')
  folder.write('tls.key', renewed.keyPem.slice(0, 60))
  await clock.advance('2s')
  assert.equal(await pair.current({ refresh: true }), before, 'the new key is half written')
  folder.write('tls.key', renewed.keyPem)
  await clock.advance('2s')
  const after = await pair.current()
  assert.deepEqual([after.certPem, after.keyPem.reveal()], [renewed.certPem, renewed.keyPem])
})

test('a pair that never matched is a failure that tells to try again and shows no key', async (t) => {
  const folder = aFolder(t)
  const { deps } = aDesk()
  folder.write('tls.crt', old.certPem)
  folder.write('tls.key', renewed.keyPem)
  const failure = await failureOf(() => pairIn(folder, deps).current(), 'KUBECONFIG_KEY_MISMATCH', renewed.keyPem)
  assert.match(failure.message, /try again/)
  folder.write('tls.key', 'canary-key')
  await failureOf(() => pairIn(folder, deps).current(), 'KUBECONFIG_CREDENTIAL_FILE', 'canary-key')
  folder.write('tls.crt', 'canary-cert')
  await failureOf(() => pairIn(folder, deps).current(), 'KUBECONFIG_CREDENTIAL_FILE', 'canary-cert')
})

test('a Kubernetes volume, which swaps a symlink to a new folder, is followed', async (t) => {
  const folder = aFolder(t)
  const { clock, deps } = aDesk()
  const put = (version: string, { certPem, keyPem }: { certPem: string; keyPem: string }) => {
    mkdirSync(folder.at(version))
    writeFileSync(join(folder.at(version), 'tls.crt'), certPem)
    writeFileSync(join(folder.at(version), 'tls.key'), keyPem)
    symlinkSync(version, folder.at('..data_tmp'))
    renameSync(folder.at('..data_tmp'), folder.at('..data'))
  }
  put('..v1', old)
  symlinkSync('..data/tls.crt', folder.at('tls.crt'))
  symlinkSync('..data/tls.key', folder.at('tls.key'))
  const pair = pairIn(folder, deps)
  assert.equal((await pair.current()).certPem, old.certPem)
  put('..v2', renewed)
  rmSync(folder.at('..v1'), { recursive: true })
  await clock.advance('2s')
  assert.equal((await pair.current()).certPem, renewed.certPem)
})

test('a certificate in the kubeconfig may have its key in a file, and a chain counts by its first certificate', async (t) => {
  const folder = aFolder(t)
  const { deps } = aDesk()
  folder.write('tls.key', old.keyPem)
  const certificate: Content<string> = { data: `${old.certPem}${renewed.certPem}`, label: 'client-certificate-data' }
  const pair = await keyPair({ certificate, key: { file: folder.at('tls.key') } }, deps).current()
  assert.equal(pair.certPem, certificate.data)
})
