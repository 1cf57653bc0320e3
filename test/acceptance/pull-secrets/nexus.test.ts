import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { startNexus } from '../../../src/demo/registries/index.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { teardown } from '../../support/test-scope.ts'

const host = 'nexus.example.com'
const name = `hyp-cls-${clusterC.id}`

async function nexusScene(t: TestContext) {
  const user = { username: 'lanyard', password: 'our-own-password' }
  const nexus = await startNexus({ roles: ['pull-docker'], user })
  teardown(t, async () => await nexus[Symbol.asyncDispose]())
  const passwordFile = join(tempDir(t), 'password')
  writeFileSync(passwordFile, user.password)
  const registry: RegistryConfig = {
    id: 'nexus',
    type: 'Nexus',
    url: host,
    roles: ['pull-docker'],
    apiBaseUrl: nexus.url,
    loginUrl: `http://${nexus.host}/v2/auth`,
    auth: { username: user.username, passwordFile },
    rate: { rps: 10_000, burst: 10_000 },
  }
  const scene = await pullSecretScene(t, { registries: () => [registry] })
  return { ...scene, nexus }
}

type Scene = Awaited<ReturnType<typeof nexusScene>>

const rowsOf = ({ database }: Scene) =>
  database.db.selectFrom('registry_credentials').select(['id', 'state', 'token']).execute()
const served = async ({ service }: Scene) => loginOf(await service.issuing.read(clusterC.id, tester), host)
const creations = ({ nexus }: Scene) => nexus.calls.filter(({ method }) => method === 'POST').length

test('P63: the password is ours and stored sealed before the call, so that a crash after it needs no second user', async (t) => {
  const scene = await nexusScene(t)
  const { nexus, service } = scene

  const early = await scene.pod({
    checkpoint: (place) => {
      if (place === 'pull.intent-planned') throw new Error('killed before the call')
    },
  })
  await assert.rejects(early.service.issuing.generate({ cluster: clusterC }, tester), /killed before/)
  const [planned] = await rowsOf(scene)
  assert.equal(planned?.state, 'provisioning')
  assert.ok(planned?.token, 'the password is on record')
  assert.equal(creations(scene), 0)

  const late = await scene.pod({
    checkpoint: (place) => {
      if (place === 'pull.account-made') throw new Error('killed after the call')
    },
  })
  await assert.rejects(late.service.issuing.generate({ cluster: clusterC }, tester), /killed after/)
  assert.equal(creations(scene), 1)
  assert.deepEqual(
    nexus.users.map(({ userId }) => userId),
    [name],
  )

  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(creations(scene), 1, 'no second user')
  assert.equal(nexus.users.length, 1)
  const [username, password] = loginOf(pullSecret, host)
  assert.equal(username, name)
  assert.ok(nexus.logsIn(username, password))
  const [row, ...others] = await rowsOf(scene)
  assert.deepEqual(others, [])
  assert.equal(row?.id, planned.id)
  assert.equal(row?.state, 'active')
  assert.ok(row?.token && !row.token.includes(password), 'sealed')
  assert.ok(!scene.logged().includes(password))
})

test('P63b: the sweeper finishes what a crash left behind, with the password on record', async (t) => {
  const scene = await nexusScene(t)
  const { nexus, clock } = scene
  const dying = await scene.pod({
    checkpoint: (place) => {
      if (place === 'pull.account-made') throw new Error('killed')
    },
  })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), /killed/)
  await clock.advance('2m')
  await scene.tick('sweep')
  const [swept] = await rowsOf(scene)
  assert.equal(swept?.state, 'active')
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  assert.ok(nexus.logsIn(...loginOf(pullSecret, host)))
  assert.equal(creations(scene), 1)
})

test('P63c: rotation, suspend, resume and delete of a user', async (t) => {
  const scene = await nexusScene(t)
  const { nexus, service } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  const first = await served(scene)
  const { rotation } = await service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  const second = await served(scene)
  assert.ok(nexus.logsIn(...first))
  assert.ok(nexus.logsIn(...second))
  await service.rotating.confirm(clusterC.id, rotation.id, tester)
  await scene.tick('rotation')
  assert.equal(nexus.logsIn(...first), false)

  await service.ending.suspend(clusterC.id, 'unpaid', tester)
  assert.deepEqual(
    nexus.users.map(({ status }) => status),
    ['disabled'],
  )
  assert.equal(nexus.logsIn(...second), false)
  const resumed = loginOf(await service.ending.resume(clusterC.id, 'paid', tester), host)
  assert.ok(nexus.logsIn(...resumed))
  assert.equal(nexus.logsIn(...second), false)
  await service.ending.remove(clusterC.id, tester)
  assert.deepEqual(nexus.users, [])
})
