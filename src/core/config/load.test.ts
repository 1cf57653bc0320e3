import assert from 'node:assert/strict'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { inspect } from 'node:util'
import * as Type from 'typebox'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../failure.ts'
import { loadConfig } from './load.ts'
import { secretSetting } from './settings.ts'

const schema = Type.Object({
  hub: Type.Object({ port: Type.Integer({ default: 8443 }) }),
  database: Type.Optional(Type.Object({ password: secretSetting({ description: 'of the role' }) })),
})

function files(t: TestContext, contents: Record<string, string>) {
  const dir = tempDir(t)
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(dir, name), text)
  return (name: string) => join(dir, name)
}

test('the file is read and checked', async (t) => {
  const at = files(t, { 'lanyard.yaml': 'hub: { port: 1 }' })
  const { config, files: read } = await loadConfig(schema, { file: at('lanyard.yaml') })
  assert.equal(config.hub.port, 1)
  assert.deepEqual(read, [at('lanyard.yaml')])
})

test('a file that must be there is told as missing, an optional one is not needed', async (t) => {
  const at = files(t, {})
  await assert.rejects(
    loadConfig(schema, { file: at('none.yaml') }),
    (error) => isFailure(error, 'CONFIG_UNREADABLE') && error.message.endsWith('it does not exist'),
  )
  const { config } = await loadConfig(schema, { file: { path: at('none.yaml'), optional: true } })
  assert.equal(config.hub.port, 8443)
})

test("a file that only lies where it is looked for counts if it is the user's own and nobody else can write it", async (t) => {
  const at = files(t, { 'lanyard.yaml': 'hub: { port: 1 }' })
  const path = at('lanyard.yaml')
  const found = { file: { path, optional: true } }
  const isRefused = (error: unknown) => isFailure(error, 'CONFIG_OF_OTHERS') && error.message.includes(path)
  assert.equal((await loadConfig(schema, found)).config.hub.port, 1)
  chmodSync(path, 0o666)
  await assert.rejects(loadConfig(schema, found), isRefused)
  assert.equal((await loadConfig(schema, { file: path })).config.hub.port, 1, 'who names it means it')
  chmodSync(path, 0o644)
  if (process.getuid?.() !== 0) return
  chownSync(path, 65_534, 65_534)
  await assert.rejects(loadConfig(schema, found), isRefused)
})

test('a secret comes from its file, beside the configuration, without its last newline, and does not show', async (t) => {
  const at = files(t, { 'lanyard.yaml': 'database: { passwordFile: pw }', pw: 'hunter2\n' })
  const loaded = await loadConfig(schema, { file: at('lanyard.yaml') })
  assert.equal(loaded.config.database?.password.reveal(), 'hunter2')
  assert.ok(!inspect(loaded, { depth: 9 }).includes('hunter2'))
  assert.deepEqual(loaded.files, [at('lanyard.yaml'), at('pw')])
})

test('a secret may be named by a flag or a variable as well', async (t) => {
  const at = files(t, { pw: 'hunter2' })
  const { config } = await loadConfig(schema, { env: { LANYARD_DATABASE_PASSWORD_FILE: at('pw') } })
  assert.equal(config.database?.password.reveal(), 'hunter2')
})

test('a secret that cannot be read or is empty is told by its setting', async (t) => {
  const at = files(t, { empty: '\n' })
  const load = (file: string) => loadConfig(schema, { flags: { databasePasswordFile: file } })
  const message = 'cannot read the file that database.passwordFile (--database-password-file) names: it'
  await assert.rejects(load(at('none')), { code: 'CONFIG_SECRET_UNREADABLE', message: `${message} does not exist` })
  await assert.rejects(load(at('empty')), { code: 'CONFIG_SECRET_UNREADABLE', message: `${message} is empty` })
})

test('the fingerprint changes with the file and with a secret, and with nothing else', async (t) => {
  const at = files(t, { 'lanyard.yaml': 'database: { passwordFile: pw }', pw: 'one' })
  const load = () => loadConfig(schema, { file: at('lanyard.yaml') })
  const first = await load()
  assert.ok(first.fingerprint.equals((await load()).fingerprint))
  writeFileSync(at('pw'), 'two')
  const second = await load()
  assert.equal(first.fingerprint.equals(second.fingerprint), false)
  writeFileSync(at('lanyard.yaml'), 'database: { passwordFile: pw }\nhub: { port: 2 }')
  assert.equal(second.fingerprint.equals((await load()).fingerprint), false)
})
