import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { Secret } from '../../../core/secret.ts'
import { startNexus } from '../../../demo/registries/index.ts'
import type { RegistryConfig } from '../config.ts'
import { cluster, endsWith, failsWith, forever, openDriver, ours, passwordFile } from '../testing/open-driver.ts'

const name = 'hyp-cls-cls-abc-123'
const secret = Secret.of('chosen-Password-1')

async function scene(t: TestContext, config: Partial<RegistryConfig> = {}) {
  const nexus = endsWith(t, await startNexus({ roles: ['pull-docker', 'nx-admin'], user: ours }))
  const driver = await openDriver({
    id: 'nexus',
    type: 'Nexus',
    url: 'nexus.example.com',
    roles: ['pull-docker'],
    apiBaseUrl: nexus.url,
    loginUrl: `http://${nexus.host}/v2/auth`,
    auth: { username: ours.username, passwordFile: passwordFile(t) },
    ...config,
  })
  return { nexus, driver }
}

test('a user has the password we chose, the roles of the entry, and nothing of a person', async (t) => {
  const { nexus, driver } = await scene(t)
  const account = await driver.create({ name: driver.nameFor({ cluster, generation: 0 }), secret, cluster }, forever)
  assert.equal(account.username, name)
  assert.ok(account.token.equals(secret))
  assert.ok(await driver.validate(account, forever))
  const [user] = nexus.users
  assert.equal(user?.status, 'active')
  assert.deepEqual(user?.roles, ['pull-docker'])
  assert.equal(user?.emailAddress, 'pull-account@lanyard.invalid')
  assert.deepEqual(await driver.find(name, forever), { name, isDisabled: false, isOurs: true })
  await driver.check(forever)
})

test('no user is made without a password that is on record', async (t) => {
  const { nexus, driver } = await scene(t)
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_REFUSED'))
  assert.equal(nexus.calls.length, 0)
})

test('a name that exists is told as such, whatever status the version of the server answers', async (t) => {
  const { nexus, driver } = await scene(t)
  await driver.create({ name, secret }, forever)
  for (const status of [400, 409] as const) {
    nexus.duplicateStatus = status
    await assert.rejects(driver.create({ name, secret }, forever), failsWith('REGISTRY_NAME_TAKEN'))
  }
  nexus.duplicateStatus = 500
  await assert.rejects(driver.create({ name, secret }, forever), failsWith('REGISTRY_UNCERTAIN'))
  assert.equal(nexus.users.length, 1)
})

test('a longer name is another user', async (t) => {
  const { driver } = await scene(t)
  await driver.create({ name: `${name}-g001`, secret }, forever)
  assert.equal(await driver.find(name, forever), undefined)
})

test('after a lost answer the user that was made is used as it is', async (t) => {
  const { nexus, driver } = await scene(t)
  nexus.fail({ method: 'POST', do: 'apply-then-drop' })
  const account = await driver.create({ name, secret }, forever)
  assert.ok(nexus.logsIn(account.username, account.token.reveal()))
  assert.equal(nexus.users.length, 1)
})

test('a user that a crash left behind becomes ours again, with the password on record', async (t) => {
  const { nexus, driver } = await scene(t)
  await driver.create({ name, secret: Secret.of('another-One-2') }, forever)
  await driver.disable?.({ name }, forever)
  const found = await driver.find(name, forever)
  assert.equal(found?.isDisabled, true)
  const account = await driver.finish?.(found, forever, secret)
  assert.ok(account && nexus.logsIn(account.username, secret.reveal()))
  assert.equal(nexus.users.length, 1)
})

test('a disabled user lets nobody in; enabled again it has a new password', async (t) => {
  const { nexus, driver } = await scene(t)
  await driver.create({ name, secret }, forever)
  await driver.disable?.({ name }, forever)
  assert.equal(nexus.logsIn(name, secret.reveal()), false)
  const again = await driver.enable?.({ name }, forever)
  assert.ok(again && nexus.logsIn(name, again.token.reveal()))
  assert.equal(nexus.logsIn(name, secret.reveal()), false)
  await driver.remove({ name }, forever)
  await driver.remove({ name }, forever)
  assert.equal(await driver.enable?.({ name }, forever), undefined)
  await driver.disable?.({ name }, forever)
  assert.equal(nexus.users.length, 0)
})

test('users that are not ours by name are never touched', async (t) => {
  const { nexus, driver } = await scene(t)
  for (const other of ['admin', '..', '', 'hyp-cls-a/../admin'])
    await assert.rejects(driver.remove({ name: other }, forever), failsWith('REGISTRY_REFUSED'))
  assert.equal(nexus.calls.length, 0)
})

test('a role that does not exist is found by a check and refused at a create', async (t) => {
  const { nexus, driver } = await scene(t, { roles: ['pull-docker', 'missing'] })
  await assert.rejects(driver.check(forever), failsWith('REGISTRY_REFUSED'))
  await assert.rejects(driver.create({ name, secret }, forever), failsWith('REGISTRY_REFUSED'))
  assert.equal(nexus.users.length, 0)
})

test('mistakes in its entry are told by the field', async (t) => {
  await assert.rejects(scene(t, { roles: [] }), /roles/)
  await assert.rejects(scene(t, { roles: ['nx-admin'] }), /nx-admin/)
})
