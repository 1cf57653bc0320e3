import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { startHarbor } from '../../../src/demo/registries/index.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import { aCanary } from '../../support/canary.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { teardown } from '../../support/test-scope.ts'

const host = 'harbor.example.com'
const name = `hyp-cls-${clusterC.id}`

/** A fleet that pulls from one project of a Harbor and from nowhere else. */
async function harborScene(t: TestContext, entry: Partial<RegistryConfig> = {}) {
  const clock = new FakeClock(new Date())
  const canary = aCanary()
  const user = { username: 'lanyard', password: aCanary() }
  const harbor = await startHarbor({ project: 'images', user, canary, clock })
  teardown(t, async () => await harbor[Symbol.asyncDispose]())
  const passwordFile = join(tempDir(t), 'password')
  writeFileSync(passwordFile, user.password)
  const registry: RegistryConfig = {
    id: 'harbor',
    type: 'Harbor',
    url: host,
    project: 'images',
    apiBaseUrl: harbor.url,
    loginUrl: `http://${harbor.host}/v2/auth`,
    auth: { username: user.username, passwordFile },
    rate: { rps: 10_000, burst: 10_000 },
    ...entry,
  }
  const scene = await pullSecretScene(t, { clock, registryClock: clock, registries: () => [registry] })
  teardown(t, () => {
    for (const secret of [canary, user.password]) assert.ok(!scene.logged().includes(secret), 'a secret was logged')
  })
  return { ...scene, harbor }
}

type Scene = Awaited<ReturnType<typeof harborScene>>

const rowsOf = ({ database }: Scene) =>
  database.db
    .selectFrom('registry_credentials')
    .select(['external_name', 'external_ref', 'username', 'state', 'expires_at'])
    .orderBy('generation')
    .execute()
const served = async ({ service }: Scene) => loginOf(await service.issuing.read(clusterC.id, tester), host)
const removals = ({ harbor }: Scene) =>
  harbor.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').pop())
const refreshes = ({ harbor }: Scene) => harbor.calls.filter(({ method }) => method === 'PATCH').length

test('P61: a project robot that may only pull; its returned name and its number are kept, a duplicate is looked up, delete goes by the number', async (t) => {
  const scene = await harborScene(t)
  const { harbor, service } = scene

  // A process dies between the creation and its record.
  const dying = await scene.pod({
    checkpoint: (place) => {
      if (place === 'pull.account-made') throw new Error('killed')
    },
  })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), /killed/)
  const lost = harbor.robots[0]?.id
  assert.deepEqual(
    harbor.accounts().map((account) => account.name),
    [name],
  )

  // Its secret cannot be read again: what is found by name is removed by its number, and another one made.
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.deepEqual(removals(scene), [String(lost)])
  assert.equal(harbor.robots.length, 1)
  const [robot] = harbor.robots
  assert.equal(robot?.level, 'project')
  assert.deepEqual(robot?.permissions, [
    { kind: 'project', namespace: 'images', access: [{ resource: 'repository', action: 'pull' }] },
  ])
  const [row, ...others] = await rowsOf(scene)
  assert.deepEqual(others, [])
  assert.equal(row?.username, `robot$images+${row?.external_name}`)
  assert.equal(row?.external_ref, String(robot?.id))
  assert.equal(row?.expires_at, null)
  const [username, token] = loginOf(pullSecret, host)
  assert.equal(username, row?.username)
  assert.ok(harbor.logsIn(username, token))

  await service.ending.remove(clusterC.id, tester)
  assert.deepEqual(removals(scene), [String(lost), String(robot?.id)])
  assert.deepEqual(harbor.robots, [])
  assert.deepEqual(await rowsOf(scene), [])
})

test("P61b: somebody else's robot of our name is neither taken nor removed", async (t) => {
  const scene = await harborScene(t)
  const { harbor } = scene
  const stranger = await scene.pod({ settings: { instanceId: 'another' } })
  await stranger.registries.driver('harbor').create({ name }, new AbortController().signal)
  await assert.rejects(scene.service.issuing.generate({ cluster: clusterC }, tester), { code: 'REGISTRY_NAME_TAKEN' })
  assert.equal(harbor.robots.length, 1)
  assert.deepEqual(removals(scene), [])
  assert.deepEqual(await rowsOf(scene), [])
})

test('P62: robots that expire are renewed before by a second one; suspend disables the robot, resume enables it with a new secret', async (t) => {
  const scene = await harborScene(t, { durationDays: 30 })
  const { harbor, service, clock } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  const old = await served(scene)
  const [first] = await rowsOf(scene)
  assert.equal(first?.expires_at?.getTime(), (harbor.robots[0]?.expiresAt ?? 0) * 1_000)

  await clock.advance('18d')
  await scene.tick('schedule')
  await scene.tick('rotation')
  assert.equal(harbor.robots.length, 1)

  await clock.advance('3d')
  await scene.tick('schedule')
  await scene.tick('rotation')
  assert.equal(harbor.robots.length, 2)
  const renewed = await served(scene)
  assert.notDeepEqual(renewed, old)
  assert.ok(harbor.logsIn(...old), 'the old robot lives until its rotation ends')
  assert.ok(harbor.logsIn(...renewed))
  assert.equal(refreshes(scene), 0, 'a refresh would have killed the old secret')

  const [open] = (await service.rotating.list(clusterC.id, { page: 1, size: 10 })).items
  assert.equal(open?.reason, 'scheduled')
  await service.rotating.confirm(clusterC.id, open?.id ?? '', tester)
  await scene.tick('rotation')
  assert.deepEqual(removals(scene), [first?.external_ref])
  assert.equal(harbor.logsIn(...old), false)

  // Long after the first one would have ended, what is served still works.
  await clock.advance('12d')
  assert.deepEqual(await served(scene), renewed)
  assert.ok(harbor.logsIn(...renewed))

  const { id } = harbor.robots[0] ?? {}
  await service.ending.suspend(clusterC.id, 'unpaid', tester)
  assert.deepEqual(
    harbor.robots.map((robot) => [robot.id, robot.isDisabled]),
    [[id, true]],
  )
  assert.equal(harbor.logsIn(...renewed), false)

  const resumed = loginOf(await service.ending.resume(clusterC.id, 'paid', tester), host)
  assert.deepEqual(
    harbor.robots.map((robot) => [robot.id, robot.isDisabled]),
    [[id, false]],
  )
  assert.equal(resumed[0], renewed[0])
  assert.notEqual(resumed[1], renewed[1])
  assert.ok(harbor.logsIn(...resumed))
  assert.equal(harbor.logsIn(...renewed), false)
  assert.deepEqual(await served(scene), resumed)
  assert.deepEqual(harbor.robots[0]?.permissions, [
    { kind: 'project', namespace: 'images', access: [{ resource: 'repository', action: 'pull' }] },
  ])
})

test('P62b: a robot that has expired while its cluster was suspended is replaced at resume', async (t) => {
  const scene = await harborScene(t, { durationDays: 30 })
  const { harbor, service, clock } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  const gone = harbor.robots[0]?.id
  await service.ending.suspend(clusterC.id, 'unpaid', tester)
  await clock.advance('31d')
  const resumed = await service.ending.resume(clusterC.id, 'paid', tester)
  assert.equal(harbor.robots.length, 1)
  assert.notEqual(harbor.robots[0]?.id, gone)
  assert.ok(harbor.logsIn(...loginOf(resumed, host)))
})
