import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { failures } from '../../../src/pull-secrets/failures.ts'
import { MemorySink, outsideOf } from '../../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import type { StoreStandIn } from '../../support/secret-stores.ts'
import { startGoogleSecrets, startKeyVault, startSecretsManager, startVaultKv } from '../../support/secret-stores.ts'
import { behavesAsSink } from '../../support/sink-behaviour.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

const name = `hyperfleet-${clusterC.id}-pull-secret`
const stores: Record<string, (t: TestScope) => Promise<StoreStandIn>> = {
  'AWS Secrets Manager': startSecretsManager,
  'Vault KV': startVaultKv,
  'Google Secret Manager': startGoogleSecrets,
  'Azure Key Vault': startKeyVault,
}

for (const [what, start] of Object.entries(stores)) {
  test(`P65: ${what} gets one version a change and none without, loses it with a suspension or deletion, and its outages hold up nobody`, async (t) => {
    const scene = await pullSecretScene(t)
    const store = await start(t)
    const options = { configured: [store.config], env: store.env }
    await behavesAsSink(scene, options, {
      read: async () => store.read(name),
      writes: async () => store.writes(name),
      breakOff() {
        store.outage = 503
        return () => {
          store.outage = undefined
        }
      },
    })
  })

  test(`${what} keeps two versions, and what somebody else has under the name`, async (t) => {
    const scene = await pullSecretScene(t)
    const store = await start(t)
    const outside = await outsideOf(scene, scene.clock, { configured: [store.config], env: store.env })
    await scene.service.issuing.generate({ cluster: clusterC }, tester)
    for (let turn = 0; turn < 3; turn += 1) {
      await outside.tick('delivery')
      await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual', forceImmediate: true }, tester)
      await scene.tick('rotation')
      await scene.clock.advance('1h')
    }
    await outside.tick('delivery')
    assert.equal(store.writes(name), 4)
    assert.equal(store.kept(name), 2)

    const theirs = `hyperfleet-other-pull-secret`
    store.occupy(theirs, 'theirs')
    await scene.service.issuing.generate({ cluster: { ...clusterC, id: 'other' } }, tester)
    await outside.tick('delivery')
    assert.equal(store.read(theirs), 'theirs')
    assert.match(scene.logged(), /SINK_FOREIGN/)
    await scene.service.ending.remove('other', tester)
    await scene.clock.advance('1h')
    await outside.tick('delivery')
    assert.equal(store.read(theirs), 'theirs')
  })
}

test('Vault is logged in to with the token of the own service account', async (t) => {
  const scene = await pullSecretScene(t)
  const store = await startVaultKv(t)
  const jwtFile = join(tempDir(t), 'jwt')
  writeFileSync(jwtFile, 'pod-token\n')
  const { tokenFile: _, ...config } = store.config
  const outside = await outsideOf(scene, scene.clock, { configured: [{ ...config, role: 'lanyard', jwtFile }] })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await outside.tick('delivery')
  assert.equal(store.writes(name), 1)
})

test('a sink that fails holds up no other sink, and no other cluster of its own', async (t) => {
  const scene = await pullSecretScene(t)
  const [broken, whole] = [new MemorySink('broken'), new MemorySink('whole')]
  broken.failing = failures.SINK_UNAVAILABLE({ sink: 'broken', detail: 'test' })
  const outside = await outsideOf(scene, scene.clock, { sinks: [broken, whole] })
  const ids = ['one', 'two', 'three', 'four', 'five', 'six']
  for (const id of ids) await scene.service.issuing.generate({ cluster: { ...clusterC, id } }, tester)
  await outside.tick('delivery')
  assert.deepEqual(whole.writes.map(({ clusterId }) => clusterId).sort(), [...ids].sort())
  broken.failing = undefined
  await scene.clock.advance('1h')
  await outside.tick('delivery')
  assert.deepEqual(broken.writes.map(({ clusterId }) => clusterId).sort(), [...ids].sort())
})

test('several processes write each change once', async (t) => {
  const scene = await pullSecretScene(t)
  const sink = new MemorySink()
  const outsides = [
    await outsideOf(scene, scene.clock, { sinks: [sink] }),
    await outsideOf(await scene.pod(), scene.clock, { sinks: [sink] }),
    await outsideOf(await scene.pod(), scene.clock, { sinks: [sink] }),
  ]
  const ids = Array.from({ length: 12 }, (_, number) => `cluster-${number}`)
  await Promise.all(ids.map((id) => scene.service.issuing.generate({ cluster: { ...clusterC, id } }, tester)))
  await Promise.all(outsides.map((outside) => outside.tick('delivery')))
  await Promise.all(outsides.map((outside) => outside.tick('delivery')))
  assert.deepEqual(sink.writes.map(({ clusterId }) => clusterId).sort(), [...ids].sort())
})

test('a delivery is a read of tokens, and audited by the name of its loop; looking for changes is none', async (t) => {
  const scene = await pullSecretScene(t)
  const outside = await outsideOf(scene, scene.clock, { sinks: [new MemorySink()] })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const reads = async () => {
    const rows = await scene.database.db
      .selectFrom('credential_audit_log')
      .select('id')
      .where('actor', '=', 'lanyard:delivery')
      .where('action', '=', 'read')
      .execute()
    return rows.length
  }
  await outside.tick('delivery')
  const once = await reads()
  assert.ok(once > 0)
  await scene.clock.advance('1h')
  await outside.tick('delivery')
  assert.equal(await reads(), once)
})

test('P67b: a sink in a cloud takes no static key from configuration or environment unless a switch allows it', async (t) => {
  const scene = await pullSecretScene(t)
  const aws = { name: 'aws', type: 'aws', region: 'us-east-1' } as const
  const isRefused = (error: unknown) => isFailure(error, 'PULL_STATIC_KEY')
  const open = (config: object, env: Record<string, string> = {}) =>
    outsideOf(scene, scene.clock, { configured: [{ ...aws, ...config }], env })
  await assert.rejects(open({ accessKeyId: 'AKIAEXAMPLEEXAMPLE00', secretAccessKeyFile: '/none' }), isRefused)
  await assert.rejects(open({}, { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE00', AWS_SECRET_ACCESS_KEY: 'x' }), isRefused)
  await open({ accessKeyId: 'AKIAEXAMPLEEXAMPLE00', secretAccessKeyFile: '/none', allowStaticKeys: true })
  await open({}, { AWS_ROLE_ARN: 'arn:aws:iam::1:role/lanyard', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' })
})
