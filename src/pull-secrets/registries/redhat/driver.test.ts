import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { startRedhat } from '../../../demo/registries/redhat.ts'
import { cluster, endsWith, failsWith, forever, openDriver } from '../testing/open-driver.ts'

const partnerCode = 'ocm-service'

async function scene(t: TestContext) {
  const redhat = endsWith(t, await startRedhat({ partnerCode }))
  const open = (instanceId: string) =>
    openDriver(
      {
        id: 'redhat',
        type: 'Redhat',
        url: 'registry.redhat.io',
        apiBaseUrl: redhat.url,
        loginUrl: `http://${redhat.host}/v2/auth`,
      },
      { pauseMs: 1, instanceId },
    )
  const driver = await open('one')
  const name = driver.nameFor({ cluster, generation: 0 })
  const posts = () => redhat.calls.filter(({ method }) => method === 'POST')
  return { redhat, driver, open, name, posts, create: () => driver.create({ name, cluster }, forever) }
}

test('an account is made, found, logs in, is removed softly and recovered', async (t) => {
  const { driver, name, create, redhat } = await scene(t)
  const account = await create()
  assert.equal(account.username, `|${name}`)
  assert.equal((await driver.find(name, forever))?.account?.token.reveal(), account.token.reveal())
  assert.equal(await driver.validate(account, forever), true)
  await driver.remove({ name }, forever)
  await driver.remove({ name }, forever)
  assert.equal(await driver.validate(account, forever), false)
  assert.equal(await driver.find(name, forever), undefined)
  redhat.switches.getShowsDeleted = true
  assert.equal(await driver.find(name, forever), undefined)
  const recovered = (await driver.recover?.(name, forever)) ?? assert.fail()
  assert.equal(await driver.validate(recovered, forever), true)
})

test('what other servers may answer is understood: 200 to a creation and to a removal, a prefix before the pipe', async (t) => {
  const { driver, redhat, name, create } = await scene(t)
  Object.assign(redhat.switches, { createStatus: 200, deleteStatus: 200, usernamePrefix: '12345678' })
  assert.equal((await create()).username, `12345678|${name}`)
  await driver.remove({ name }, forever)
  assert.equal(redhat.accounts().length, 0)
})

test('a name that is taken is told so, softly deleted or not, and never looked into', async (t) => {
  const { driver, redhat, name, create } = await scene(t)
  await create()
  await assert.rejects(create(), failsWith('REGISTRY_NAME_TAKEN'))
  await driver.remove({ name }, forever)
  await assert.rejects(create(), failsWith('REGISTRY_NAME_TAKEN'))
  assert.ok(redhat.calls.every(({ method }) => method !== 'GET'))
})

test('nothing to recover, or nothing that tells its password', async (t) => {
  const { driver, redhat, name, create } = await scene(t)
  assert.equal(await driver.recover?.(name, forever), undefined)
  await create()
  await driver.remove({ name }, forever)
  redhat.switches.recoverTellsPassword = false
  assert.equal(await driver.recover?.(name, forever), undefined)
})

test('a look that does not tell the password finds the account without it', async (t) => {
  const { driver, redhat, name, create } = await scene(t)
  await create()
  redhat.switches.getTellsPassword = false
  assert.deepEqual(await driver.find(name, forever), { name, isOurs: true })
})

test('an account whose creation got no answer is found by our mark', async (t) => {
  const { redhat, create, posts } = await scene(t)
  redhat.fail({ method: 'POST', do: 'apply-then-drop' })
  const account = await create()
  assert.ok(redhat.logsIn(account.username, account.token.reveal()))
  assert.equal(posts().length, 1)
})

test("somebody else's account of that name is not taken, although our creation got no answer", async (t) => {
  const { driver, redhat, open, name } = await scene(t)
  await (await open('two')).create({ name, cluster }, forever)
  redhat.fail({ method: 'POST', do: 'apply-then-drop' })
  await assert.rejects(driver.create({ name, cluster }, forever), failsWith('REGISTRY_UNCERTAIN'))
  assert.equal((await driver.find(name, forever))?.isOurs, false)
  assert.equal(redhat.accounts().length, 1)
})

for (const body of [
  { credentials: { username: 'no-pipe', password: 'p' } },
  { credentials: { username: '|other', password: 'p' } },
  { credentials: { username: 'a:b|hyp-cls-cls-abc-123', password: 'p' } },
  { credentials: {} },
  'html',
])
  test(`an answer that makes no sense is no account: ${JSON.stringify(body)}`, async (t) => {
    const { redhat, create } = await scene(t)
    redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 200, body } })
    await assert.rejects(create(), failsWith('REGISTRY_UNCERTAIN'))
  })

test('a look whether we are let in', async (t) => {
  const { driver, redhat } = await scene(t)
  await driver.check(forever)
  redhat.refuseOurs = true
  await assert.rejects(driver.check(forever), failsWith('REGISTRY_UNAUTHORIZED'))
})

test('an id that makes no legal name is told by its field', async (t) => {
  const { driver, redhat } = await scene(t)
  const named = (more: object) => () => driver.nameFor({ cluster: { ...cluster, ...more }, generation: 0 })
  assert.throws(named({ externalResourceId: 'a b' }), {
    code: 'PULL_NAME_IMPOSSIBLE',
    message: /^external_resource_id/,
  })
  assert.throws(named({ id: 'a|b' }), { code: 'PULL_NAME_IMPOSSIBLE', message: /^cluster_id/ })
  assert.equal(named({ externalResourceId: '' })(), 'hyp-cls-cls-abc-123')
  for (const name of ['', '..', '.a', 'a/b', '|a']) {
    assert.equal(driver.isSafeName(name), false)
    await assert.rejects(driver.remove({ name }, forever), failsWith('REGISTRY_REFUSED'))
  }
  assert.equal(redhat.calls.length, 0)
})
