import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done } from '../../../core/outcome.ts'
import { configMaps } from '../../../kube/kinds.ts'
import type { AuthenticationMode } from './clients/ports.ts'
import type { AwsCheckpoint } from './hub-world.ts'
import { grantScene, Killed } from './testing/grant-scene.ts'
import { roleName } from './testing/samples.ts'

const modes: readonly AuthenticationMode[] = ['API', 'CONFIG_MAP']

async function accepted(mode: AuthenticationMode) {
  const scene = grantScene()
  scene.aws.mode = mode
  await scene.join()
  return scene
}

async function everything(scene: ReturnType<typeof grantScene>) {
  const map = await scene.kube.of(configMaps, 'kube-system').find('aws-auth')
  return [scene.aws.stored, map?.data, await scene.record()]
}

/** Changes all that can be changed by hand. */
async function drift({ aws, kube }: ReturnType<typeof grantScene>) {
  const role = aws.roles.get(roleName)
  assert.ok(role)
  role.trust = role.trust.replace(/arn:aws:iam::567890123456:role[^"]+/, 'AROAIOSFODNN7EXAMPLE')
  role.inline.clear()
  role.tags = { ...role.tags, team: 'red' }
  for (const entry of aws.entries.values())
    Object.assign(entry, { username: 'x', type: 'EC2_LINUX', tags: { ...entry.tags, team: 'red' } })
  const maps = kube.of(configMaps, 'kube-system')
  const map = await maps.find('aws-auth')
  const mapRoles = map?.data?.['mapRoles']?.replace('"system:open-cluster-management:west:awsirsa"', 'x') ?? ''
  if (map) await maps.update({ ...map, data: { mapRoles } })
}

for (const mode of modes) {
  test(`killed at any checkpoint of a grant, the next start ends it (${mode})`, async () => {
    const whole = await accepted(mode)
    await whole.ensure()
    const places = [...whole.passed]
    assert.ok(places.length >= 4)
    for (const place of places) {
      const scene = await accepted(mode)
      scene.killAt(place)
      await assert.rejects(scene.ensure(), Killed)
      assert.ok(await scene.record(), `on record when killed at ${place}`)
      scene.restart()
      assert.deepEqual(await scene.ensureToEnd(), done)
      assert.deepEqual(await everything(scene), await everything(whole), place)
    }
  })

  test(`killed at any checkpoint of a grant, a denial leaves nothing (${mode})`, async () => {
    for (const place of await places(mode, 'ensure')) {
      const scene = await accepted(mode)
      scene.killAt(place)
      await assert.rejects(scene.ensure(), Killed)
      scene.restart()
      assert.deepEqual(await scene.revokeToEnd(), done)
      assert.deepEqual((await everything(scene))[0], { roles: [], entries: [] }, place)
      assert.equal(await scene.record(), undefined)
    }
  })

  test(`killed at any checkpoint of a revocation, the next start ends it (${mode})`, async () => {
    for (const place of await places(mode, 'revoke')) {
      const scene = await accepted(mode)
      await scene.ensure()
      scene.killAt(place)
      await assert.rejects(scene.revoke(), Killed)
      scene.restart()
      assert.deepEqual(await scene.revokeToEnd(), done)
      const [stored, map, record] = await everything(scene)
      assert.deepEqual(
        [stored, map ?? { mapRoles: '' }, record],
        [{ roles: [], entries: [] }, { mapRoles: '' }, undefined],
      )
    }
  })

  test(`all that was changed by hand is put right, also by a hub that is killed at it (${mode})`, async () => {
    const whole = await accepted(mode)
    await whole.ensure()
    const before = await everything(whole)
    whole.passed.length = 0
    await drift(whole)
    whole.restart()
    await whole.ensure()
    assert.deepEqual(await everything(whole), before)
    const repairs = [...whole.passed]
    assert.ok(repairs.includes('aws.trust-written') && repairs.includes('aws.mapped'))
    assert.equal(repairs.includes('aws.unmapped'), mode === 'API')
    for (const place of repairs) {
      await drift(whole)
      whole.restart()
      whole.killAt(place)
      await assert.rejects(whole.ensure(), Killed)
      whole.restart()
      await whole.ensure()
      assert.deepEqual(await everything(whole), before, place)
    }
  })
}

async function places(mode: AuthenticationMode, act: 'ensure' | 'revoke'): Promise<AwsCheckpoint[]> {
  const scene = await accepted(mode)
  await scene.ensure()
  if (act === 'ensure') return [...scene.passed]
  scene.passed.length = 0
  await scene.revoke()
  return [...scene.passed]
}
