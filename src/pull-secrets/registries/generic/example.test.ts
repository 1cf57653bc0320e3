import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { Secret } from '../../../core/secret.ts'
import { failsWith, forever, openDriver } from '../testing/open-driver.ts'

const program = resolve(import.meta.dirname, '../../../../examples/registry-generic/main.ts')
const name = 'hyp-cls-one'

test('the example is a whole driver', async (t) => {
  const directory = tempDir(t)
  const driver = await openDriver({
    id: 'ours',
    type: 'Generic',
    url: 'registry.example.com',
    generic: {
      exec: { command: process.execPath, args: [program] },
      settings: { directory },
      capabilities: { disable: true, choosesSecret: true },
    },
  })
  await driver.check(forever)
  assert.equal(await driver.find(name, forever), undefined)

  const secret = Secret.of('chosen-by-us')
  const account = await driver.create({ name, secret }, forever)
  assert.ok(await driver.validate(account, forever))
  assert.equal(await driver.validate({ ...account, token: Secret.of('wrong') }, forever), false)
  await assert.rejects(driver.create({ name, secret }, forever), failsWith('REGISTRY_NAME_TAKEN'))
  for (const file of readdirSync(directory))
    assert.ok(!readFileSync(join(directory, file), 'utf8').includes(secret.reveal()))

  await driver.disable?.({ name }, forever)
  assert.equal(await driver.validate(account, forever), false)
  assert.deepEqual(await driver.find(name, forever), { name, isDisabled: true })
  const again = await driver.enable?.({ name }, forever)
  assert.ok(again && (await driver.validate(again, forever)))

  const finished = await driver.finish?.({ name }, forever, secret)
  assert.ok(finished && (await driver.validate(account, forever)))
  await driver.remove({ name }, forever)
  await driver.remove({ name }, forever)
  assert.equal(await driver.enable?.({ name }, forever), undefined)
  assert.deepEqual(readdirSync(directory), [])
})
