import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../support/never.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import {
  clusterC,
  diesAt,
  loginOf,
  pullSecretScene,
  strayAccounts,
  sweepAll,
  tester,
} from '../../support/pull-secret-scene.ts'

const died = /killed at/

/** As a process does it on its own: two intervals, and no more. */
async function twoIntervals({ clock, tick, settings }: PullSecretScene): Promise<void> {
  // By its clock, intents are as old as they are: the database stamps them by the machine's.
  await clock.jumpTo(new Date())
  for (let n = 0; n < 2; n += 1) {
    await clock.advance(settings.loops.sweepMs)
    await tick('sweep')
  }
}

const openIn = ({ database }: PullSecretScene) =>
  database.db.selectFrom('credential_intents').select('phase').where('phase', 'not in', ['committed', 'done']).execute()

for (const place of ['pull.intent-planned', 'pull.account-made', 'pull.credential-stored'] as const)
  for (const afterHits of [0, 1])
    test(`P48: killed at ${place}, time ${afterHits + 1}, the sweeper leaves no account alone`, async (t) => {
      const scene = await pullSecretScene(t)
      const dying = await scene.pod({ checkpoint: diesAt(place, { afterHits }) })
      await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), died)
      await twoIntervals(scene)
      await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
      assert.deepEqual(await openIn(scene), [])
      const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
      assert.ok(scene.quay.logsIn(...loginOf(pullSecret, 'quay.io')))
      assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
      assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
    })

for (const place of ['pull.intent-planned', 'pull.account-made'] as const)
  test(`P48: a pool whose filler was killed at ${place} has what was begun, and nothing is left alone`, async (t) => {
    const scene = await pullSecretScene(t, { settings: { pool: { high: 2, low: 0, batch: 2, maxIdleDays: 30 } } })
    const dying = await scene.pod({ checkpoint: diesAt(place, { afterHits: 1 }) })
    await dying.tick('pool')
    assert.notDeepEqual(await openIn(scene), [])
    await twoIntervals(scene)
    assert.deepEqual([await strayAccounts(scene), await openIn(scene)], [[], []])
    await scene.tick('pool')
    assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [2, 2])
  })

test('P48: a secret that cannot be read again is made anew, and the account without it goes', async (t) => {
  const scene = await pullSecretScene(t)
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made', { afterHits: 1 }) })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), died)
  scene.redhat.switches.getTellsPassword = false
  scene.redhat.switches.recoverTellsPassword = false
  await twoIntervals(scene)
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
  assert.equal(scene.redhat.accounts().length, 1)
})

for (const place of [
  'pull.deletion-recorded',
  'pull.revoking-marked',
  'pull.account-removed',
  'pull.row-removed',
  'pull.cluster-removed',
] as const)
  test(`P49: a deletion killed at ${place} is completed, and nothing is made again`, async (t) => {
    const scene = await pullSecretScene(t)
    await scene.service.issuing.generate({ cluster: clusterC }, tester)
    const dying = await scene.pod({ checkpoint: diesAt(place) })
    await assert.rejects(dying.service.ending.remove(clusterC.id, tester), died)
    const made = () =>
      [...scene.quay.calls, ...scene.redhat.calls].filter(({ method }) => /PUT|POST/.test(method)).length
    const before = made()
    await sweepAll(scene, 2)
    assert.equal(made(), before)
    assert.deepEqual([scene.quay.accounts(), scene.redhat.accounts()], [[], []])
    const rows = await scene.database.db.selectFrom('registry_credentials').select('state').execute()
    assert.deepEqual(rows, [])
    assert.deepEqual(await scene.service.ending.remove(clusterC.id, tester), { registries: {} })
    const told = await scene.database.db
      .selectFrom('event_outbox')
      .select('type')
      .where('type', '=', 'deleted')
      .execute()
    assert.equal(told.length, 1)
    assert.doesNotMatch(scene.logged(), /"level":"error"/)
  })

for (const place of [
  'pull.suspension-recorded',
  'pull.revoking-marked',
  'pull.account-removed',
  'pull.row-removed',
] as const)
  test(`P49a: a suspension killed at ${place} is completed`, async (t) => {
    const scene = await pullSecretScene(t)
    await scene.service.issuing.generate({ cluster: clusterC }, tester)
    const dying = await scene.pod({ checkpoint: diesAt(place) })
    await assert.rejects(dying.service.ending.suspend(clusterC.id, 'abuse', tester), died)
    await sweepAll(scene, 2)
    assert.deepEqual([scene.quay.accounts(), scene.redhat.accounts()], [[], []])
    const rows = await scene.database.db.selectFrom('registry_credentials').select(['state', 'token']).execute()
    assert.deepEqual(rows, [
      { state: 'suspended', token: null },
      { state: 'suspended', token: null },
    ])
    const suspension = await scene.database.db.selectFrom('cluster_suspensions').select('phase').executeTakeFirst()
    assert.equal(suspension?.phase, 'suspended')
  })

for (const place of [
  'pull.resumption-recorded',
  'pull.intent-planned',
  'pull.account-made',
  'pull.credential-stored',
  'pull.suspension-ended',
] as const)
  test(`P48a: a resumption killed at ${place} is completed, with no account left over`, async (t) => {
    const scene = await pullSecretScene(t)
    await scene.service.issuing.generate({ cluster: clusterC }, tester)
    await scene.service.ending.suspend(clusterC.id, 'abuse', tester)
    const dying = await scene.pod({ checkpoint: diesAt(place) })
    await assert.rejects(dying.service.ending.resume(clusterC.id, 'cleared', tester), died)
    await sweepAll(scene, 3)
    await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
    const pullSecret = await scene.service.issuing.read(clusterC.id, tester)
    assert.ok(scene.quay.logsIn(...loginOf(pullSecret, 'quay.io')))
    assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
    assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
  })

test('what somebody works on is left alone', async (t) => {
  const scene = await pullSecretScene(t)
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made') })
  await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), died)
  scene.redhat.latencyMs = 300
  const working = scene.service.issuing.generate({ cluster: clusterC }, tester)
  const other = await scene.pod()
  await scene.clock.advance('1h')
  await other.tick('sweep')
  await working
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
})
