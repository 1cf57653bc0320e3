/** What one does who has lost the lock and does not know it yet, while others go on. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { never } from '../../../test/support/never.ts'
import type { PullSecretScene } from '../../../test/support/pull-secret-scene.ts'
import {
  aKeyRing,
  clusterC,
  diesAt,
  loginOf,
  pullSecretScene,
  strayAccounts,
  sweepAll,
  tester,
} from '../../../test/support/pull-secret-scene.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { passBy } from '../../core/checkpoint.ts'
import { createMetrics } from '../../core/metrics.ts'
import { systemRandom } from '../../core/random.ts'
import { Secret } from '../../core/secret.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { tokenVault } from '../keys/index.ts'
import type { RegistryDriver } from '../registries/registry.ts'
import type { Tx } from '../store/tables.ts'
import { accounts } from './index.ts'
import { openIntent } from './intents.ts'
import { isBlocked, keep } from './keep.ts'
import { tools } from './tools.ts'

const { signal } = new AbortController()
const isBusy = { code: 'PULL_BUSY' }

const only = (t: TestScope, registry: string) =>
  pullSecretScene(t, { registries: (set) => set.filter(({ id }) => id === registry) })

/** Parts of a process that holds no lock. */
const holder = async (scene: PullSecretScene, changes: Partial<PullDeps> = {}): Promise<PullDeps> => ({
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
  ...changes,
})

/** The same registries, but that something happens at a call. */
const changed = ({ registries }: PullSecretScene, change: (driver: RegistryDriver) => Partial<RegistryDriver>) => ({
  registries: {
    ...registries,
    driver: (id: string) => {
      const driver = registries.driver(id)
      return { ...driver, ...change(driver) }
    },
  },
})

const rowsIn = ({ database }: PullSecretScene) =>
  database.db.selectFrom('registry_credentials').selectAll().orderBy('generation').execute()
const statesIn = async (scene: PullSecretScene) => (await rowsIn(scene)).map(({ state }) => state)

/** A credential that died between the making of its account and its counting. */
async function madeOnly(t: TestScope) {
  const scene = await only(t, 'quay')
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester))
  const { db } = scene.database
  const row = await db.selectFrom('registry_credentials').selectAll().executeTakeFirstOrThrow()
  const intent = await db.selectFrom('credential_intents').selectAll().executeTakeFirstOrThrow()
  return { scene, row, intent }
}

test('a credential is not its own rival: what somebody else made count stays', async (t) => {
  const { scene, row, intent } = await madeOnly(t)
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const account = { username: row.username, token: Secret.of('late') }
  const late = tools(await holder(scene))
  const kept = await keep(late, { row, intent }, account, { action: 'create', isLate: false }, tester)
  assert.deepEqual(kept, { surplus: undefined })
  await sweepAll(scene)
  assert.deepEqual(await statesIn(scene), ['active'])
  assert.ok(scene.quay.logsIn(...loginOf(pullSecret, 'quay.io')))
})

/** What somebody else does in a transaction that ends once somebody waits for it. */
async function atTheSameTime<T>(
  { database }: PullSecretScene,
  others: (tx: Tx) => Promise<unknown>,
  ours: () => Promise<T>,
): Promise<T> {
  const { promise: done, resolve: isDone } = Promise.withResolvers<void>()
  const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
  const ended = database.db.transaction().execute(async (tx) => {
    await others(tx)
    isDone()
    await end
  })
  await Promise.race([done, ended])
  const outcome = Promise.allSettled([ours()])
  await eventually('somebody waits for it', async () => {
    const { rows } = await database.data.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })
  letEnd()
  await ended
  const [settled] = await outcome
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

test('of two that are made to count at the same time the second is surplus', async (t) => {
  const { scene, row, intent } = await madeOnly(t)
  const late = tools(await holder(scene))
  const rival = { id: randomUUID(), external_name: 'rival', username: 'rival', generation: 1, state: 'active' } as const
  const kept = await atTheSameTime(
    scene,
    async (tx) => {
      await isBlocked(tx, clusterC.id)
      const { account_id, registry_id, hyperfleet_instance_id } = row
      const shared = { account_id, registry_id, hyperfleet_instance_id }
      await tx
        .insertInto('registry_credentials')
        .values({ ...shared, ...rival })
        .execute()
    },
    () =>
      keep(
        late,
        { row, intent },
        { username: row.username, token: Secret.of('late') },
        { action: 'create', isLate: false },
        tester,
      ),
  )
  assert.equal('surplus' in kept && kept.surplus?.id, rival.id)
  assert.deepEqual(await statesIn(scene), ['revoking', 'active'])
})

test('two that bring one back at the same time go on with one intent', async (t) => {
  const scene = await only(t, 'redhat')
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await scene.service.ending.suspend(clusterC.id, 'abuse', tester)
  const { db } = scene.database
  await db.updateTable('cluster_suspensions').set({ phase: 'resuming' }).execute()
  const [suspended] = await rowsIn(scene)
  assert.ok(suspended)
  const late = accounts(await holder(scene))
  const back = await atTheSameTime(
    scene,
    async (tx) => {
      await tx.selectFrom('registry_credentials').selectAll().forUpdate().execute()
      await openIntent(tx, scene.clock.now(), { ...suspended, generation: 1 }, 'recover')
    },
    () => late.revive(suspended, clusterC, signal, tester),
  )
  assert.deepEqual([back.id, back.state, back.generation], [suspended.id, 'active', 1])
  const intents = await db.selectFrom('credential_intents').select('phase').where('op', '=', 'recover').execute()
  assert.deepEqual(intents, [{ phase: 'committed' }])
})

test('what somebody else has taken up meanwhile is not brought back', async (t) => {
  const scene = await only(t, 'redhat')
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await scene.service.ending.suspend(clusterC.id, 'abuse', tester)
  const [suspended] = await rowsIn(scene)
  assert.ok(suspended)
  await scene.service.ending.remove(clusterC.id, tester)
  const calls = scene.redhat.calls.length
  const late = accounts(await holder(scene))
  await assert.rejects(late.revive(suspended, clusterC, signal, tester), isBusy)
  assert.equal(scene.redhat.calls.length, calls, 'no registry is asked')
})

test('the sweeper leaves the pool alone while somebody fills it', async (t) => {
  const scene = await pullSecretScene(t, { settings: { pool: { high: 1, low: 0, batch: 1, maxIdleDays: 30 } } })
  const dying = await scene.pod({ checkpoint: diesAt('pull.intent-planned') })
  await dying.tick('pool')
  const calls = () => scene.quay.calls.length
  const before = calls()
  const { lock } = await scene.pod()
  await lock.hold('pool/quay', () => sweepAll(scene))
  assert.equal(calls(), before)
  await sweepAll(scene, 1)
  assert.deepEqual(await statesIn(scene), ['active', 'active'])
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
})

test('an account whose row somebody took away goes again', async (t) => {
  const scene = await only(t, 'quay')
  const { db } = scene.database
  const { registries } = changed(scene, ({ create }) => ({
    async create(...given) {
      const made = await create(...given)
      await db.deleteFrom('registry_credentials').execute()
      await db.deleteFrom('credential_intents').execute()
      return made
    },
  }))
  const late = accounts(await holder(scene, { registries }))
  await assert.rejects(late.issue({ registryId: 'quay', as: 'active' }, signal, tester), isBusy)
  assert.deepEqual([scene.quay.accounts(), await rowsIn(scene)], [[], []])
})

test('one that cannot be removed at once is on record again, and the sweeper does it', async (t) => {
  const scene = await only(t, 'quay')
  const { db } = scene.database
  const lost = new AbortController()
  const { registries } = changed(scene, ({ create }) => ({
    async create(...given) {
      const made = await create(...given)
      await db.deleteFrom('registry_credentials').execute()
      await db.deleteFrom('credential_intents').execute()
      lost.abort(failures.PULL_DATABASE_AWAY({ retryAfterSeconds: 1 }))
      return made
    },
  }))
  const late = accounts(await holder(scene, { registries }))
  await assert.rejects(late.issue({ registryId: 'quay', as: 'active' }, lost.signal, tester))
  assert.deepEqual(await statesIn(scene), ['revoking'])
  await sweepAll(scene, 1)
  assert.deepEqual([scene.quay.accounts(), await rowsIn(scene)], [[], []])
})

test('nothing is made for a cluster that is gone, neither before the plan nor after', async (t) => {
  const scene = await only(t, 'quay')
  const wanted = { cluster: clusterC, registryId: 'quay', as: 'active' } as const
  await assert.rejects(accounts(await holder(scene)).issue(wanted, signal, tester), { code: 'PULL_SUSPENDED' })
  const dying = await scene.pod({ checkpoint: diesAt('pull.intent-planned') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester))
  const { registries } = changed(scene, ({ create }) => ({
    async create(...given) {
      await scene.service.ending.remove(clusterC.id, tester)
      return await create(...given)
    },
  }))
  await assert.rejects(accounts(await holder(scene, { registries })).issue(wanted, signal, tester), isBusy)
  await sweepAll(scene)
  assert.deepEqual([scene.quay.accounts(), await rowsIn(scene)], [[], []])
})

test('one that somebody else made count is not abandoned', async (t) => {
  const scene = await only(t, 'redhat')
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester))
  const { registries } = changed(scene, () => ({
    async find(name) {
      await scene.service.issuing.generate({ cluster: clusterC }, tester)
      return { name, isOurs: true }
    },
    recover: async () => undefined,
  }))
  const late = accounts(await holder(scene, { registries }))
  const wanted = { cluster: clusterC, registryId: 'redhat', as: 'active' } as const
  await assert.rejects(late.issue(wanted, signal, tester), isBusy)
  await sweepAll(scene)
  assert.deepEqual(await statesIn(scene), ['active'])
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
})

test('one that somebody else brought back is not made a second time', async (t) => {
  const scene = await only(t, 'redhat')
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await scene.service.ending.suspend(clusterC.id, 'abuse', tester)
  const [suspended] = await rowsIn(scene)
  assert.ok(suspended)
  const { registries } = changed(scene, ({ recover }) => ({
    async recover(...given) {
      const account = await recover?.(...given)
      await scene.service.ending.resume(clusterC.id, 'cleared', tester)
      return account
    },
  }))
  const late = accounts(await holder(scene, { registries }))
  await assert.rejects(late.revive(suspended, clusterC, signal, tester), isBusy)
  await sweepAll(scene)
  assert.deepEqual(await statesIn(scene), ['active'])
  const served = await scene.service.issuing.read(clusterC.id, tester)
  assert.ok(scene.redhat.logsIn(...loginOf(served, 'registry.redhat.io')))
})
