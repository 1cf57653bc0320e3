import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QuayStandIn } from '../../../src/demo/registries/quay.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, loginOf, org, pullSecretScene, team, tester } from '../../support/pull-secret-scene.ts'

const teamPath = `/api/v1/organization/${org}/team/${team}`
const quayOf = ({ quay }: PullSecretScene) => quay as QuayStandIn
const teamsOf = (scene: PullSecretScene) =>
  quayOf(scene).teams as unknown as Map<string, { role: string; members: Set<string> }>
const teamPuts = ({ quay }: PullSecretScene) =>
  quay.calls.filter(({ method, path }) => method === 'PUT' && path === teamPath)
const generate = ({ service }: PullSecretScene, id = clusterC.id) =>
  service.issuing.generate({ cluster: { ...clusterC, id } }, tester)

test('P16: a team that is missing is made once, as a member, and the robot joins it', async (t) => {
  const scene = await pullSecretScene(t)
  teamsOf(scene).delete(team)
  const { created } = await generate(scene)
  assert.equal(created, true)
  assert.equal(teamPuts(scene).length, 1)
  const made = teamsOf(scene).get(team)
  assert.deepEqual([made?.role, made?.members.size], ['member', 1])
  const memberships = scene.quay.calls.filter(({ path }) => path.startsWith(`${teamPath}/members/`))
  assert.deepEqual(
    memberships.map(({ status }) => status),
    [404, 200],
  )
  await generate(scene, 'another')
  assert.equal(teamPuts(scene).length, 1)
})

test('P17: a team of another role is joined and left as it is', async (t) => {
  const scene = await pullSecretScene(t)
  teamsOf(scene).set(team, { role: 'creator', members: new Set() })
  await generate(scene)
  assert.equal(teamPuts(scene).length, 0)
  const { role, members } = teamsOf(scene).get(team) ?? assert.fail()
  assert.deepEqual([role, members.size], ['creator', 1])
})

test('P20: a robot that is a member already is one', async (t) => {
  const scene = await pullSecretScene(t)
  // The first answer got lost after its effect: Quay says at the second that it is a member already.
  scene.quay.fail({ method: 'PUT', path: '/members/', do: { applyThenAnswer: 502 } })
  const { pullSecret, created } = await generate(scene)
  assert.equal(created, true)
  const memberships = scene.quay.calls.filter(({ path }) => path.includes('/members/'))
  assert.deepEqual(
    memberships.map(({ status }) => status),
    [502, 400],
  )
  assert.ok(scene.quay.logsIn(...loginOf(pullSecret, 'quay.io')))
})

test('a robot that a replica does not see yet joins a little later', async (t) => {
  const scene = await pullSecretScene(t)
  quayOf(scene).switches.replicaLag = 2
  await generate(scene)
  assert.equal(teamsOf(scene).get(team)?.members.size, 1)
})

test('P21: a robot that is not there counts as removed, one that a mirror uses does not', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, quay } = scene
  await generate(scene)
  quay.fail({
    method: 'DELETE',
    path: '/robots/',
    do: { answer: 400, body: { message: 'Could not find robot with specified username' } },
  })
  assert.deepEqual((await service.ending.remove(clusterC.id, tester)).registries, { quay: 'done', redhat: 'done' })

  await generate(scene, 'mirrored')
  const name = quay.accounts().at(-1)?.name ?? ''
  quayOf(scene).switches.mirrored.add(name)
  assert.deepEqual((await service.ending.remove('mirrored', tester)).registries, { quay: 'pending', redhat: 'done' })
  assert.ok(quay.accounts().some((account) => account.name === name))
  quayOf(scene).switches.mirrored.clear()
  await scene.clock.advance('10m')
  await scene.tick('sweep')
  assert.ok(!quay.accounts().some((account) => account.name === name))
})

test('P22: a removal that is answered with nothing is one', async (t) => {
  const scene = await pullSecretScene(t)
  await generate(scene)
  const { registries } = await scene.service.ending.remove(clusterC.id, tester)
  assert.deepEqual(registries, { quay: 'done', redhat: 'done' })
  const removals = scene.quay.calls.filter(({ method }) => method === 'DELETE')
  assert.deepEqual(
    removals.map(({ status }) => status),
    [204],
  )
  assert.equal(scene.quay.accounts().length, 0)
  assert.doesNotMatch(scene.logged(), /"level":"(warn|error)"/)
})

test('robots carry the installation and the cluster they are for', async (t) => {
  const scene = await pullSecretScene(t, { settings: { instanceId: 'region-a' } })
  await generate(scene)
  const found = await scene.registries.driver('quay').find(scene.quay.accounts()[0]?.name ?? '', t.signal)
  assert.equal(found?.isOurs, true)
  const elsewhere = await scene.pod({ settings: { instanceId: 'region-b' } })
  const same = await elsewhere.registries.driver('quay').find(found?.name ?? '', t.signal)
  assert.equal(same?.isOurs, false)
})
