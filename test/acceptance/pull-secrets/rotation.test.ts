import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { runLoop } from '../../../src/pull-secrets/loop.ts'
import type { RotationView } from '../../../src/pull-secrets/service.ts'
import { defaultPullSettings } from '../../../src/pull-secrets/settings.ts'
import { apiScene } from '../../support/pull-secret-api.ts'
import { authsOf, letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const hosts = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io']
const rotations = `/clusters/${clusterC.id}/pull-secrets/rotations`
const manual = { clusterId: clusterC.id, reason: 'manual' as const }

const generated = async ({ service }: PullSecretScene) => {
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  return pullSecret
}

const rowsOf = ({ database }: PullSecretScene) =>
  database.db
    .selectFrom('registry_credentials')
    .select(['registry_id', 'state', 'generation'])
    .where('account_id', '=', clusterC.id)
    .orderBy('registry_id')
    .orderBy('generation')
    .execute()

async function reaches({ service }: PullSecretScene, { id }: RotationView, is: (rotation: RotationView) => boolean) {
  while (!is(await service.rotating.get(clusterC.id, id))) await new Promise((resolve) => setImmediate(resolve))
}

const typesOf = async ({ database }: PullSecretScene) =>
  (await database.db.selectFrom('event_outbox').select('type').where('channel', '=', 'event').orderBy('seq').execute())
    .map(({ type }) => type)
    .filter((type) => type !== 'generated')

test('P27: one tick after a rotation is asked for, every host has a new auth and the old ones still work', async (t) => {
  const scene = await apiScene(t)
  const old = await generated(scene)
  const asked = await scene.call('POST', rotations, { body: { reason: 'manual' } })
  assert.deepEqual([asked.status, asked.body.status], [201, 'pending'])

  await scene.tick('rotation')
  const got = await scene.call('GET', `/clusters/${clusterC.id}/pull-secrets`)
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual([got.status, got.body.pull_secret], [200, JSON.parse(fresh.document.json.reveal())])
  assert.deepEqual(Object.keys(authsOf(fresh)), hosts)
  for (const [host, auth] of Object.entries(authsOf(fresh))) assert.notEqual(auth, authsOf(old)[host], host)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  assert.deepEqual(letIn(scene, loginsOf(old)), hosts)
  assert.equal(fresh.generation, old.generation + 1)
  assert.notEqual(fresh.etag, old.etag)
  assert.deepEqual(fresh.lastRotatedAt, scene.clock.now())

  const now = await scene.call('GET', `${rotations}/${asked.body.id}`)
  assert.deepEqual([now.body.status, now.body.progress.phase], ['in_progress', 'dual'])
  assert.equal(Date.parse(now.body.grace_deadline_time), scene.clock.now().getTime() + 7 * 86_400_000)
  assert.deepEqual(await rowsOf(scene), [
    { registry_id: 'quay', state: 'superseded', generation: 0 },
    { registry_id: 'quay', state: 'active', generation: 1 },
    { registry_id: 'redhat', state: 'superseded', generation: 0 },
    { registry_id: 'redhat', state: 'active', generation: 1 },
  ])
  assert.deepEqual(await typesOf(scene), ['rotation.started', 'updated', 'rotation.dual'])
})

test('P28: the new Red Hat account has a name of its own, and the end of the old one does not touch it', async (t) => {
  const scene = await pullSecretScene(t)
  const old = await generated(scene)
  const { rotation } = await scene.service.rotating.request(manual, tester)
  await scene.tick('rotation')
  const [first, second, ...more] = scene.redhat.accounts().map(({ name }) => name)
  assert.deepEqual([first, second, more], [`hyp-cls-${clusterC.id}`, `hyp-cls-${clusterC.id}-g001`, []])

  await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
  await scene.tick('rotation')
  assert.deepEqual(
    scene.redhat.accounts().map(({ name }) => name),
    [second],
  )
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  assert.deepEqual(letIn(scene, loginsOf(old)), [])
})

test('P29: once confirmed, the old accounts go outside first, then here, and the rotation is completed', async (t) => {
  const scene = await apiScene(t)
  const old = await generated(scene)
  const { rotation } = await scene.service.rotating.request(manual, tester)
  await scene.tick('rotation')
  const confirmed = await scene.call('POST', `${rotations}/${rotation.id}/confirm`)
  assert.deepEqual([confirmed.status, Date.parse(confirmed.body.confirmed_time)], [200, scene.clock.now().getTime()])

  // Outside it does not work yet: the record stays for as long as the account does.
  scene.redhat.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, loginsOf(old)), ['registry.connect.redhat.com', 'registry.redhat.io'])
  assert.deepEqual(await rowsOf(scene), [
    { registry_id: 'quay', state: 'active', generation: 1 },
    { registry_id: 'redhat', state: 'revoking', generation: 0 },
    { registry_id: 'redhat', state: 'active', generation: 1 },
  ])
  assert.equal((await scene.service.rotating.get(clusterC.id, rotation.id)).phase, 'revoking')

  scene.redhat.heal()
  await scene.clock.advance('1h')
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, loginsOf(old)), [])
  assert.deepEqual(await rowsOf(scene), [
    { registry_id: 'quay', state: 'active', generation: 1 },
    { registry_id: 'redhat', state: 'active', generation: 1 },
  ])
  const over = await scene.service.rotating.get(clusterC.id, rotation.id)
  assert.deepEqual([over.status, over.phase, over.completedAt], ['completed', undefined, scene.clock.now()])
  assert.equal((await typesOf(scene)).at(-1), 'rotation.completed')
  // The same again is no mistake.
  assert.equal((await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)).status, 'completed')
})

test('P31: while a registry is down the old set is served whole, and the rotation ends without a robot too many', async (t) => {
  const scene = await pullSecretScene(t)
  const old = await generated(scene)
  scene.redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const { rotation } = await scene.service.rotating.request(manual, tester)
  for (const wait of ['0s', '1m', '2m']) {
    await scene.clock.advance(wait)
    await scene.tick('rotation')
    const served = await scene.service.issuing.read(clusterC.id, tester)
    assert.equal(served.document.hash, old.document.hash)
    assert.equal(served.etag, old.etag)
  }
  const meanwhile = await scene.service.rotating.get(clusterC.id, rotation.id)
  assert.deepEqual([meanwhile.status, meanwhile.phase], ['in_progress', 'creating'])
  assert.match(meanwhile.lastError ?? '', /^redhat: REGISTRY_/)
  assert.equal(scene.quay.accounts().length, 2)

  scene.redhat.heal()
  await scene.clock.advance('1h')
  await scene.tick('sweep')
  await scene.tick('rotation')
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  assert.deepEqual(
    Object.values(authsOf(fresh)).filter((auth) => Object.values(authsOf(old)).includes(auth)),
    [],
  )
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [2, 2])
  await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
  await scene.tick('rotation')
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
})

test('a rotation that cannot make its accounts fails in the end, leaves the old ones alone and removes its own', async (t) => {
  const rotation = { ...defaultPullSettings.rotation, attempts: 3 }
  const scene = await pullSecretScene(t, { settings: { rotation } })
  const old = await generated(scene)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const { rotation: asked } = await scene.service.rotating.request(manual, tester)
  for (let attempt = 0; attempt < 3; attempt++) {
    await scene.tick('rotation')
    await scene.clock.advance('1h')
  }
  const over = await scene.service.rotating.get(clusterC.id, asked.id)
  assert.equal(over.status, 'failed')
  assert.equal((await typesOf(scene)).at(-1), 'rotation.failed')
  assert.equal((await scene.service.issuing.read(clusterC.id, tester)).etag, old.etag)
  assert.deepEqual(letIn(scene, loginsOf(old)), hosts)
  scene.redhat.heal()
  await scene.tick('sweep')
  await scene.tick('expiry')
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
  assert.equal((await scene.service.rotating.request(manual, tester)).isNew, true)
})

test('a rotation begins and ends when it is asked for, not with the next turn of the loop', async (t) => {
  const scene = await pullSecretScene(t)
  await generated(scene)
  const loop = scene.service.loops.find(({ name }) => name === 'rotation')
  assert.ok(loop)
  const end = new AbortController()
  const running = runLoop(loop, scene)(end.signal)
  t.after(async () => {
    end.abort()
    await running
  })
  // Its first turn is over, and it pauses.
  while (!scene.clock.nextDue) await new Promise((resolve) => setImmediate(resolve))
  const { rotation } = await scene.service.rotating.request(manual, tester)
  await reaches(scene, rotation, ({ phase }) => phase === 'dual')
  await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
  await reaches(scene, rotation, ({ status }) => status === 'completed')
})

test('a cluster that somebody works on waits for the next turn, and keeps nobody waiting', async (t) => {
  const scene = await pullSecretScene(t)
  await generated(scene)
  const { lock } = await scene.pod()
  const { rotation } = await scene.service.rotating.request(manual, tester)
  await lock.hold(clusterC.id, async () => scene.tick('rotation'))
  assert.equal((await scene.service.rotating.get(clusterC.id, rotation.id)).status, 'pending')
  await scene.tick('rotation')
  await scene.database.db.updateTable('registry_credentials').set({ expires_at: scene.clock.now() }).execute()
  await lock.hold(clusterC.id, async () => scene.tick('expiry'))
  assert.equal((await rowsOf(scene)).length, 4)
  await scene.tick('expiry')
  assert.equal((await rowsOf(scene)).length, 2)
  assert.doesNotMatch(scene.logged(), /PULL_BUSY/)
})

test('who confirms during a long turn of the loop does not wait for its end', async (t) => {
  const scene = await pullSecretScene(t)
  const other = { ...clusterC, id: 'cls-other' }
  await generated(scene)
  await scene.service.issuing.generate({ cluster: other }, tester)
  const { rotation } = await scene.service.rotating.request(manual, tester)
  const urgent = await scene.service.rotating.request({ clusterId: other.id, reason: 'compromise' }, tester)
  const { lock } = await scene.pod()
  const turn = await lock.hold(other.id, async () => {
    const ticking = scene.tick('rotation')
    await reaches(scene, rotation, ({ phase }) => phase === 'dual')
    await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
    return { ticking }
  })
  await turn.ticking
  assert.equal((await scene.service.rotating.get(other.id, urgent.rotation.id)).status, 'completed')
  assert.equal((await scene.service.rotating.get(clusterC.id, rotation.id)).status, 'completed')
})

test('P32a: one open rotation a cluster; a second one names it, and the same key returns it', async (t) => {
  const scene = await pullSecretScene(t)
  await generated(scene)
  const keyed = { ...manual, idempotencyKey: 'once' }
  const { rotation } = await scene.service.rotating.request(keyed, tester)
  await assert.rejects(
    scene.service.rotating.request(manual, tester),
    (error) => isFailure(error, 'PULL_ROTATION_OPEN') && error.params['rotation'] === rotation.id,
  )
  const again = await scene.service.rotating.request(keyed, tester)
  assert.deepEqual([again.rotation.id, again.isNew], [rotation.id, false])
  await assert.rejects(scene.service.rotating.request({ ...keyed, reason: 'compromise' }, tester), {
    code: 'PULL_INPUT',
  })
  await scene.tick('rotation')
  await assert.rejects(scene.service.rotating.request(manual, tester), { code: 'PULL_ROTATION_OPEN' })

  // After a day the key is anybody's.
  await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
  await scene.tick('rotation')
  await scene.clock.advance('25h')
  const later = await scene.service.rotating.request(keyed, tester)
  assert.equal(later.isNew, true)
  assert.notEqual(later.rotation.id, rotation.id)
})

test('of many requests at once one is let in, and the same event or key always gives the same rotation', async (t) => {
  const scene = await pullSecretScene(t)
  await generated(scene)
  const byEvent = { ...manual, eventId: 'event-1' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => scene.service.rotating.request(byEvent, tester)))
  assert.equal(new Set(answers.map(({ rotation }) => rotation.id)).size, 1)
  assert.equal(answers.filter(({ isNew }) => isNew).length, 1)
  const others = await Promise.allSettled(
    Array.from({ length: 5 }, () => scene.service.rotating.request(manual, tester)),
  )
  assert.ok(others.every(({ status }) => status === 'rejected'))
})

test('a rotation is asked for in vain where there is nothing to rotate, or the cluster is suspended', async (t) => {
  const scene = await pullSecretScene(t)
  await assert.rejects(scene.service.rotating.request(manual, tester), { code: 'PULL_NO_CLUSTER' })
  await generated(scene)
  await assert.rejects(scene.service.rotating.request({ ...manual, revokeFirst: true }, tester), { code: 'PULL_INPUT' })
  await scene.service.ending.suspend(clusterC.id, 'a test', tester)
  await assert.rejects(scene.service.rotating.request(manual, tester), { code: 'PULL_SUSPENDED' })
})

test('a set that was never whole is not rotated into a document', async (t) => {
  const scene = await pullSecretScene(t)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await assert.rejects(scene.service.issuing.generate({ cluster: clusterC }, tester))
  await assert.rejects(scene.service.rotating.request(manual, tester), { code: 'PULL_NO_SECRET' })
  await scene.clock.advance('100d')
  await scene.tick('schedule')
  assert.equal((await scene.service.rotating.list(clusterC.id, { page: 1, size: 1 })).total, 0)
})

test('an operator cancels before the flip only, and what was made goes', async (t) => {
  const scene = await pullSecretScene(t)
  await generated(scene)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const first = await scene.service.rotating.request(manual, tester)
  await scene.tick('rotation')
  assert.equal(scene.quay.accounts().length, 2)
  const cancelled = await scene.service.rotating.cancel(clusterC.id, first.rotation.id, tester)
  assert.equal(cancelled.status, 'cancelled')
  assert.equal(scene.quay.accounts().length, 1)
  assert.equal((await scene.service.rotating.cancel(clusterC.id, first.rotation.id, tester)).status, 'cancelled')

  scene.redhat.heal()
  await scene.clock.advance('1m')
  const second = await scene.service.rotating.request(manual, tester)
  await scene.tick('rotation')
  await assert.rejects(scene.service.rotating.cancel(clusterC.id, second.rotation.id, tester), {
    code: 'PULL_ROTATION_WRONG_PHASE',
  })
  await assert.rejects(scene.service.rotating.confirm(clusterC.id, first.rotation.id, tester), {
    code: 'PULL_ROTATION_WRONG_PHASE',
  })
  await assert.rejects(scene.service.rotating.cancel(clusterC.id, 'no-such', tester), { code: 'PULL_NO_ROTATION' })

  const page = await scene.service.rotating.list(clusterC.id, { page: 1, size: 1 })
  assert.deepEqual([page.total, page.items.map(({ id }) => id)], [2, [second.rotation.id]])
  const next = await scene.service.rotating.list(clusterC.id, { page: 2, size: 1 })
  assert.deepEqual(
    next.items.map(({ id }) => id),
    [first.rotation.id],
  )
  await assert.rejects(scene.service.rotating.list('nobody', { page: 1, size: 1 }), { code: 'PULL_NO_CLUSTER' })
})

test('an optional registry that fails keeps its old credential and holds nobody up', async (t) => {
  const scene = await pullSecretScene(t, {
    registries: (standard) => standard.map((one) => (one.id === 'redhat' ? { ...one, required: false } : one)),
  })
  const old = await generated(scene)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const { rotation } = await scene.service.rotating.request(manual, tester)
  await scene.tick('rotation')
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.notEqual(authsOf(fresh)['quay.io'], authsOf(old)['quay.io'])
  assert.equal(authsOf(fresh)['registry.redhat.io'], authsOf(old)['registry.redhat.io'])
  scene.redhat.heal()
  await scene.service.rotating.confirm(clusterC.id, rotation.id, tester)
  await scene.tick('rotation')
  assert.equal((await scene.service.rotating.get(clusterC.id, rotation.id)).status, 'completed')
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
})
