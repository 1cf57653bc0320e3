import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { startHarbor } from '../../../demo/registries/index.ts'
import type { RegistryConfig } from '../config.ts'
import { cluster, endsWith, failsWith, forever, openDriver, ours, passwordFile } from '../testing/open-driver.ts'

const name = 'hyp-cls-cls-abc-123'
const pullOf = (project: string) => [
  { kind: 'project', namespace: project, access: [{ resource: 'repository', action: 'pull' }] },
]

async function scene(t: TestContext, config: Partial<RegistryConfig> = {}) {
  const clock = new FakeClock(new Date())
  const harbor = endsWith(t, await startHarbor({ project: 'images', user: ours, clock }))
  const driver = await openDriver({
    id: 'harbor',
    type: 'Harbor',
    url: 'harbor.example.com',
    ...(config.repositories === undefined && { project: 'images' }),
    apiBaseUrl: harbor.url,
    loginUrl: `http://${harbor.host}/v2/auth`,
    auth: { username: ours.username, passwordFile: passwordFile(t) },
    ...config,
  })
  const logsIn = ({ username, token }: { username: string; token: { reveal(): string } }) =>
    harbor.logsIn(username, token.reveal())
  return { harbor, driver, clock, logsIn }
}

test('a project robot may pull and nothing else; the name that Harbor gave it and its number are kept', async (t) => {
  const { harbor, driver, logsIn } = await scene(t)
  const account = await driver.create({ name: driver.nameFor({ cluster, generation: 0 }), cluster }, forever)
  assert.equal(account.username, `robot$images+${name}`)
  assert.equal(account.ref, String(harbor.robots[0]?.id))
  assert.equal(account.expiresAt, undefined)
  assert.ok(logsIn(account))
  assert.ok(await driver.validate(account, forever))
  assert.deepEqual(
    harbor.robots.map(({ level, duration, permissions }) => ({ level, duration, permissions })),
    [
      {
        level: 'project',
        duration: -1,
        permissions: [{ kind: 'project', namespace: 'images', access: [{ resource: 'repository', action: 'pull' }] }],
      },
    ],
  )
  await driver.check(forever)
})

test('a robot of the system pulls from the projects that are listed', async (t) => {
  const { harbor, driver } = await scene(t, { repositories: ['*'] })
  const account = await driver.create({ name }, forever)
  assert.equal(account.username, `robot$${name}`)
  assert.deepEqual(
    harbor.robots[0]?.permissions.map(({ namespace }) => namespace),
    ['*'],
  )
  assert.equal((await driver.find(name, forever))?.ref, account.ref)
  await driver.check(forever)
})

test('whatever prefix an installation has, robots are found by their own name and no other', async (t) => {
  for (const config of [{}, { repositories: ['*'] }]) {
    const { harbor, driver } = await scene(t, config)
    harbor.prefix = 'bot-'
    const later = await driver.create({ name: `${name}-g001` }, forever)
    assert.equal(await driver.find(name, forever), undefined)
    const first = await driver.create({ name }, forever)
    const found = await driver.find(name, forever)
    assert.deepEqual(found, { name, ref: first.ref, isDisabled: false, isOurs: true })
    assert.notEqual(first.ref, later.ref)
  }
})

test('however many names begin like it, a robot is found, and one that is not there is not', async (t) => {
  const { harbor, driver } = await scene(t)
  const add = (short: string) =>
    fetch(`${harbor.url}/robots`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${ours.username}:${ours.password}`)}`,
      },
      body: JSON.stringify({ name: short, level: 'project', duration: -1, permissions: pullOf('images') }),
    })
  for (let at = 0; at < 120; at++) assert.equal((await add(`${name}-${at}`)).status, 201)
  const searches = () => harbor.calls.filter(({ method, path }) => method === 'GET' && path.includes('/robots?')).length
  assert.equal(await driver.find(name, forever), undefined)
  const { ref } = await driver.create({ name }, forever)
  assert.equal((await driver.find(name, forever))?.ref, ref)
  assert.equal(searches(), 2)
})

test('a name that exists is told as such, and nothing about whose it is', async (t) => {
  const { harbor, driver } = await scene(t)
  await driver.create({ name }, forever)
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_NAME_TAKEN'))
  assert.equal(harbor.robots.length, 1)
})

test('a robot whose secret was lost on the way is removed and made anew under the same name', async (t) => {
  const { harbor, driver, logsIn } = await scene(t)
  for (const lost of ['apply-then-drop', { applyThenAnswer: 500 }] as const) {
    harbor.fail({ method: 'POST', do: lost })
    const account = await driver.create({ name }, forever)
    assert.ok(logsIn(account))
    assert.equal(harbor.robots.length, 1)
    await driver.remove({ name, ...(account.ref && { ref: account.ref }) }, forever)
    assert.equal(harbor.robots.length, 0)
  }
})

test("somebody else's robot of that name is left alone when an answer was lost", async (t) => {
  const { harbor, driver } = await scene(t)
  await driver.create({ name }, forever)
  harbor.fail({ method: 'POST', do: { answer: 500 } })
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_UNCERTAIN'))
  assert.equal(harbor.robots.length, 1)
})

test('removal goes by the number, never hits a robot of another name, and what is gone counts as removed', async (t) => {
  const { harbor, driver } = await scene(t)
  const { ref = '' } = await driver.create({ name }, forever)
  const other = await driver.create({ name: `${name}-g001` }, forever)
  await driver.remove({ name, ref: other.ref ?? '' }, forever)
  assert.deepEqual(
    harbor.accounts().map((account) => account.name),
    [`${name}-g001`],
  )
  await driver.remove({ name, ref }, forever)
  await driver.remove({ name }, forever)
  const removals = harbor.calls.filter(({ method }) => method === 'DELETE')
  assert.deepEqual(
    removals.map(({ path, status }) => [path, status]),
    [[`/api/v2.0/robots/${ref}`, 200]],
  )
})

test("by a name alone nobody else's robot is touched, and by a number none whose whole name is another", async (t) => {
  for (const config of [{}, { repositories: ['*'] }]) {
    const { harbor, driver } = await scene(t, config)
    const foreign = await openDriver(
      {
        id: 'harbor',
        type: 'Harbor',
        url: 'harbor.example.com',
        ...(config.repositories === undefined && { project: 'images' }),
        apiBaseUrl: harbor.url,
        auth: { username: ours.username, passwordFile: passwordFile(t) },
        ...config,
      },
      { instanceId: 'two' },
    )
    const theirs = await foreign.create({ name }, forever)
    const longer = await driver.create({ name: `hyp-cls-x-${name}` }, forever)
    for (const target of [{ name }, { name, ref: longer.ref ?? '' }]) {
      await driver.disable?.(target, forever)
      assert.equal(await driver.enable?.(target, forever), undefined)
      await driver.remove(target, forever)
    }
    assert.ok(harbor.logsIn(theirs.username, theirs.token.reveal()))
    assert.ok(harbor.logsIn(longer.username, longer.token.reveal()))
  }
})

test('a disabled robot lets nobody in; enabled again it has a new secret, and the old one stays dead', async (t) => {
  const { harbor, driver, logsIn } = await scene(t)
  const account = await driver.create({ name }, forever)
  const target = { name, ref: account.ref ?? '' }
  await driver.disable?.(target, forever)
  await driver.disable?.(target, forever)
  assert.equal(logsIn(account), false)
  assert.equal((await driver.find(name, forever))?.isDisabled, true)
  // Between the two calls of an enabling neither secret may work.
  harbor.fail({ method: 'PUT', do: { answer: 400 } })
  await assert.rejects(driver.enable?.(target, forever) ?? Promise.resolve(), failsWith('REGISTRY_REFUSED'))
  assert.equal(logsIn(account), false)
  const again = await driver.enable?.(target, forever)
  assert.ok(again && logsIn(again))
  assert.equal(logsIn(account), false)
  assert.equal(again.username, account.username)
  assert.equal(harbor.robots.length, 1)
  assert.deepEqual(harbor.robots[0]?.permissions[0]?.access, [{ resource: 'repository', action: 'pull' }])
})

test('a robot that has expired is not enabled but removed; one that is gone cannot be enabled', async (t) => {
  const clock = new FakeClock(new Date())
  const harbor = endsWith(t, await startHarbor({ project: 'images', clock }))
  const driver = await openDriver(
    { id: 'harbor', type: 'Harbor', url: 'h.example.com', project: 'images', apiBaseUrl: harbor.url, durationDays: 30 },
    { clock },
  )
  assert.equal(driver.capabilities.nativeExpiry, true)
  const account = await driver.create({ name }, forever)
  const day = 86_400_000
  assert.equal(account.expiresAt?.getTime(), Math.floor(clock.now().getTime() / 1000) * 1000 + 30 * day)
  const target = { name, ref: account.ref ?? '' }
  await driver.disable?.(target, forever)
  await clock.advance(31 * day)
  assert.equal(await driver.enable?.(target, forever), undefined)
  assert.equal(harbor.robots.length, 0)
  assert.equal(await driver.enable?.(target, forever), undefined)
})

test('our own credentials, refused or missing rights, are told apart from everything else', async (t) => {
  const { harbor, driver } = await scene(t)
  harbor.refuseOurs = true
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_UNAUTHORIZED'))
})

test('mistakes in its entry are told by the field', async (t) => {
  const cases: [Partial<RegistryConfig>, RegExp][] = [
    [{ project: '42' }, /project/],
    [{ project: '..' }, /project/],
    [{ repositories: [] }, /project/],
    [{ repositories: ['a', 'B'] }, /repositories/],
    [{ durationDays: 0 }, /durationDays/],
  ]
  for (const [config, message] of cases) await assert.rejects(scene(t, config), { message }, JSON.stringify(config))
})
