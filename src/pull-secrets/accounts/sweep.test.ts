import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { PullSecretScene } from '../../../test/support/pull-secret-scene.ts'
import {
  aKeyRing,
  clusterC,
  diesAt,
  pullSecretScene,
  sweepAll,
  tester,
} from '../../../test/support/pull-secret-scene.ts'
import { passBy } from '../../core/checkpoint.ts'
import { createMetrics } from '../../core/metrics.ts'
import { systemRandom } from '../../core/random.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { tokenVault } from '../keys/index.ts'
import type { RegistryConfig } from '../registries/config.ts'
import { accounts } from './index.ts'

const only = (registry: string) => (set: RegistryConfig[]) => set.filter(({ id }) => id === registry)

const { signal } = new AbortController()
const parts = async (scene: PullSecretScene): Promise<PullDeps> => ({
  database: scene.database,
  registries: scene.registries,
  settings: scene.settings,
  clock: scene.clock,
  log: scene.log,
  lock: (await scene.pod()).lock,
  vault: tokenVault(aKeyRing()),
  metrics: await createMetrics(),
  random: systemRandom,
  checkpoint: passBy,
})

test('one tick takes up all that is due, however much fails at another registry', async (t) => {
  const scene = await pullSecretScene(t, { settings: { sweep: { afterMs: 30_000, batch: 3 } } })
  const { db } = scene.database
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made'), registries: only('quay') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester))
  scene.redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const shared = { registry_id: 'redhat', hyperfleet_instance_id: 'default', generation: 0 }
  for (let n = 0; n < 10; n += 1) {
    const id = randomUUID()
    const names = { external_name: `hyp-cls-x${n}`, ...shared }
    await db
      .insertInto('registry_credentials')
      .values({ ...names, id, account_id: `x${n}`, username: `|hyp-cls-x${n}`, state: 'revoking' })
      .execute()
    await db
      .insertInto('credential_intents')
      .values({
        ...names,
        id: randomUUID(),
        cluster_id: `x${n}`,
        credential_id: id,
        op: 'delete',
        phase: 'planned',
        attempts: 9,
        next_attempt_at: scene.clock.now(),
      })
      .execute()
  }
  await sweepAll(scene, 1)
  const fresh = await db
    .selectFrom('credential_intents')
    .select('phase')
    .where('registry_id', '=', 'quay')
    .executeTakeFirstOrThrow()
  assert.equal(fresh.phase, 'committed')
  const failed = await db
    .selectFrom('credential_intents')
    .select(['attempts', 'next_attempt_at'])
    .where('registry_id', '=', 'redhat')
    .execute()
  assert.ok(failed.every(({ attempts, next_attempt_at: next }) => attempts === 10 && next && next > scene.clock.now()))
})

test('whatever fails is counted once and tried again later', async (t) => {
  const scene = await pullSecretScene(t, { registries: only('quay') })
  const dying = await scene.pod({ checkpoint: diesAt('pull.intent-planned') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester))
  const unreadable = async () => {
    throw failures.PULL_TOKEN_UNREADABLE({ credential: 'any' })
  }
  const driver = (id: string) => ({ ...scene.registries.driver(id), find: unreadable })
  const sweeping = accounts({ ...(await parts(scene)), registries: { ...scene.registries, driver } })
  await scene.clock.advance('1h')
  await sweeping.sweep(signal)
  const intent = await scene.database.db.selectFrom('credential_intents').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([intent.attempts, intent.last_error], [1, 'PULL_TOKEN_UNREADABLE'])
  assert.match(await scene.metrics.text(), /lanyard_pull_orphan_intents_items 1/)
})

test('a lock that is lost keeps nobody else from being taken up', async (t) => {
  const scene = await pullSecretScene(t, { registries: only('quay') })
  const clusters = ['unlucky', ...Array.from({ length: 9 }, (_, n) => `other-${n}`)]
  for (const id of clusters) {
    const dying = await scene.pod({ checkpoint: diesAt('pull.account-made') })
    await assert.rejects(dying.service.issuing.generate({ cluster: { ...clusterC, id } }, tester))
  }
  const sweeping = accounts({
    ...(await parts(scene)),
    lock: {
      hold: (_, work) => work(signal),
      async tryHold(name, work) {
        if (name === 'unlucky') throw failures.PULL_DATABASE_AWAY({ retryAfterSeconds: 1 })
        return await work(signal)
      },
    },
  })
  await scene.clock.advance('1h')
  await sweeping.sweep(signal)
  const left = await scene.database.db
    .selectFrom('registry_credentials')
    .select('account_id')
    .where('state', '<>', 'active')
    .execute()
  assert.deepEqual(left, [{ account_id: 'unlucky' }])
})
