import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { isFailure } from '../../../core/failure.ts'
import { startQuay } from '../../../demo/registries/quay.ts'
import type { Account } from '../registry.ts'
import { cluster, endsWith, failsWith, forever, openDriver } from '../testing/open-driver.ts'
import { markerOf } from './markers.ts'

const [org, team] = ['acme', 'pullers']

async function scene(t: TestContext, options: { instanceId?: string; withoutTeam?: boolean } = {}) {
  const quay = endsWith(t, await startQuay({ org, ...(!options.withoutTeam && { team }) }))
  const driver = await openDriver(
    {
      id: 'quay',
      type: 'Quay',
      url: 'quay.io',
      orgName: org,
      teamName: team,
      apiBaseUrl: quay.url,
      loginUrl: `http://${quay.host}/v2/auth`,
    },
    { pauseMs: 1, ...(options.instanceId && { instanceId: options.instanceId }) },
  )
  const name = driver.nameFor({ cluster, generation: 0 })
  const robotCalls = (method: string) =>
    quay.calls.filter((call) => call.method === method && call.path.includes('/robots/'))
  return { quay, driver, name, robotCalls, create: () => driver.create({ name, cluster }, forever) }
}

test('a robot is made, joins its team, can be found, logs in, and is removed', async (t) => {
  const { quay, driver, name, create } = await scene(t)
  const account = await create()
  assert.equal(account.username, `${org}+${name}`)
  assert.deepEqual([...(quay.teams.get(team)?.members ?? [])], [account.username])
  const found = await driver.find(name, forever)
  assert.equal(found?.account?.token.reveal(), account.token.reveal())
  assert.equal(found?.isOurs, true)
  assert.equal(await driver.validate(account, forever), true)
  await driver.remove({ name }, forever)
  await driver.remove({ name }, forever)
  assert.equal(await driver.find(name, forever), undefined)
  assert.equal(await driver.validate(account, forever), false)
})

test('the plus of a member is encoded', async (t) => {
  const { quay, name, create } = await scene(t)
  await create()
  assert.ok(quay.calls.some(({ path }) => path.endsWith(`/members/${org}%2B${name}`)))
})

for (const doing of ['apply-then-drop', { applyThenAnswer: 500 }, { applyThenAnswer: 504 }] as const)
  test(`a robot whose creation was answered with ${JSON.stringify(doing)} is found, not made twice`, async (t) => {
    const { quay, robotCalls, create } = await scene(t)
    quay.fail({ method: 'PUT', path: '/robots/', do: doing })
    const account = await create()
    assert.ok(quay.logsIn(account.username, account.token.reveal()))
    assert.equal(robotCalls('PUT').length, 1)
    assert.equal(quay.accounts().length, 1)
  })

for (const doing of ['drop', { answer: 502 }, { answer: 520 }] as const)
  test(`a creation that did not happen (${JSON.stringify(doing)}) is repeated after a look`, async (t) => {
    const { quay, robotCalls, create } = await scene(t)
    quay.fail({ method: 'PUT', path: '/robots/', do: doing })
    await create()
    assert.deepEqual([robotCalls('PUT').length, robotCalls('GET').length], [2, 1])
    assert.equal(quay.accounts().length, 1)
  })

test('a name that exists is told as taken', async (t) => {
  const { driver, name, create } = await scene(t)
  await create()
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_NAME_TAKEN'))
})

test('a Quay that only reads: it is uncertain, and nothing is there', async (t) => {
  const { quay, create } = await scene(t)
  quay.switches.isReadOnly = true
  await assert.rejects(create(), failsWith('REGISTRY_UNCERTAIN'))
  quay.switches.isReadOnly = false
  assert.equal(quay.accounts().length, 0)
})

test('robots that are not allowed are refused', async (t) => {
  const { quay, create } = await scene(t)
  quay.switches.robotsAreDisallowed = true
  await assert.rejects(create(), failsWith('REGISTRY_REFUSED'))
})

test('a membership that is refused for good takes the robot along', async (t) => {
  const { quay, create } = await scene(t)
  quay.fail({ path: '/members/', do: { answer: 400, body: { message: 'Team is synced' } } })
  await assert.rejects(create(), failsWith('REGISTRY_REFUSED'))
  assert.equal(quay.accounts().length, 0)
})

test('where the robot cannot be taken back either, it is uncertain, and can be finished or removed later', async (t) => {
  const { quay, driver, name, create } = await scene(t)
  quay.fail(
    { path: '/members/', do: { answer: 400, body: { message: 'Team is synced' } } },
    { method: 'DELETE', do: { answer: 500 } },
  )
  await assert.rejects(create(), failsWith('REGISTRY_UNCERTAIN'))
  assert.equal(quay.accounts().length, 1)
  const found = (await driver.find(name, forever)) ?? assert.fail()
  quay.fail({ path: '/members/', do: { answer: 403 } })
  await assert.rejects(driver.finish?.(found, forever) ?? assert.fail(), failsWith('REGISTRY_UNCERTAIN'))
})

test('a membership that fails for now leaves the robot and says that it is uncertain', async (t) => {
  const { quay, driver, name, create } = await scene(t)
  quay.fail({ path: '/members/', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await assert.rejects(create(), failsWith('REGISTRY_UNCERTAIN'))
  quay.heal()
  const found = (await driver.find(name, forever)) ?? assert.fail()
  const account = await driver.finish?.(found, forever)
  assert.ok(quay.teams.get(team)?.members.has(account?.username ?? ''))
})

test('several robots at once make a missing team once', async (t) => {
  const { quay, driver } = await scene(t, { withoutTeam: true })
  const names = Array.from({ length: 8 }, () => driver.nameFor({ cluster, generation: 0 }))
  await Promise.all(names.map((name) => driver.create({ name }, forever)))
  assert.equal(quay.teams.get(team)?.members.size, 8)
  assert.equal(quay.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith(`/team/${team}`)).length, 1)
})

test('a look at the team: there, missing, or not for us', async (t) => {
  const { quay, driver } = await scene(t, { withoutTeam: true })
  await driver.check(forever)
  quay.refuseOurs = true
  await assert.rejects(driver.check(forever), failsWith('REGISTRY_UNAUTHORIZED'))
})

test('an organization that does not exist is neither a missing robot nor a removed one', async (t) => {
  const { driver, quay, name } = await scene(t)
  quay.fail({ times: 2, do: { answer: 400, body: { message: 'Organization does not exist' } } })
  await assert.rejects(driver.find(name, forever), failsWith('REGISTRY_REFUSED'))
  await assert.rejects(driver.remove({ name }, forever), failsWith('REGISTRY_REFUSED'))
  quay.fail({ times: 2, do: { answer: 404 } })
  await assert.rejects(driver.find(name, forever), failsWith('REGISTRY_REFUSED'))
  await assert.rejects(driver.remove({ name }, forever), failsWith('REGISTRY_REFUSED'))
})

test('names that are not fit for a path are never sent', async (t) => {
  const { quay, driver } = await scene(t)
  for (const name of ['', '.', '..', '../..', 'a+b', 'a/b', '%2e%2e', 'A'])
    for (const call of [driver.remove({ name }, forever), driver.find(name, forever), driver.create({ name }, forever)])
      await assert.rejects(call, failsWith('REGISTRY_REFUSED'))
  assert.equal(quay.calls.length, 0)
  assert.ok(quay.hasOrg)
})

test('amid faults of all kinds: what was given out works, and what is told not to be there is not', async (t) => {
  const { quay, driver } = await scene(t)
  quay.chaos = 0.4
  for (let round = 0; round < 40; round++) {
    const name = driver.nameFor({ cluster, generation: 0 })
    const made = await driver.create({ name, cluster }, forever).catch((error: unknown) => error)
    const isThere = quay.accounts().some((account) => account.name === name)
    if (!(made instanceof Error)) {
      const { username, token } = made as Account
      assert.ok(quay.logsIn(username, token.reveal()) && quay.teams.get(team)?.members.has(username))
    } else if (!isFailure(made, 'REGISTRY_UNCERTAIN')) assert.ok(isFailure(made) && !isThere, String(made))
  }
})

test('markers are read from both shapes of an error, and nothing else is one', () => {
  assert.equal(markerOf({ message: 'Existing robot with name: a+b' }), 'exists')
  assert.equal(markerOf({ detail: 'x', error_message: 'Could not find robot with specified username' }), 'missing')
  assert.equal(markerOf({ detail: 'Unknown user' }), 'unknownUser')
  for (const json of [undefined, null, 'Could not find robot', [], { message: 1 }, { title: 'Unknown user' }])
    assert.equal(markerOf(json), undefined)
})
