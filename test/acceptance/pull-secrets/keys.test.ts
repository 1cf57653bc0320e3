import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { Secret } from '../../../src/core/secret.ts'
import type { KeyRing } from '../../../src/pull-secrets/keys/index.ts'
import { keyStatus, recordKeys, retireKey, tokenVault } from '../../../src/pull-secrets/keys/index.ts'
import { formatKeyRing, newKey } from '../../../src/pull-secrets/keys/ring.ts'
import type { Database } from '../../../src/pull-secrets/store/database.ts'
import { readinessChecks } from '../../../src/pull-secrets/store/readiness.ts'
import { eventually } from '../../support/eventually.ts'
import { clusterId, facts, serveSetting, serving } from '../../support/pull-secret-process.ts'
import type { Pod } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const now = new Date()
const aKey = () => Secret.of<Uint8Array>(randomBytes(32))

/** A ring that is replaced while it is in use, as its file is. */
function aChangingRing() {
  let ring: KeyRing = { active: 'old', keys: new Map([['old', aKey()]]) }
  const followed: KeyRing = {
    get active() {
      return ring.active
    },
    get keys() {
      return ring.keys
    },
  }
  return {
    followed,
    async change({ database }: Pod, next: (now: KeyRing) => KeyRing) {
      ring = next(ring)
      await recordKeys(database.db, ring)
    },
  }
}

const newActive = (ring: KeyRing): KeyRing => ({ active: 'new', keys: new Map([...ring.keys, ['new', aKey()]]) })

async function tokensBy({ data }: Database): Promise<Record<string, number>> {
  const { rows } = await data.query(
    'SELECT key_id, count(*)::int AS count FROM registry_credentials WHERE key_id IS NOT NULL GROUP BY key_id',
  )
  return Object.fromEntries(rows.map(({ key_id, count }) => [key_id, count]))
}

/** Tokens that lie in the pool: so many that they do not fit into two batches. */
async function addTokens({ data }: Database, ring: KeyRing, count: number): Promise<void> {
  const vault = tokenVault(ring)
  const ids = Array.from({ length: count }, () => randomUUID())
  const sealed = ids.map((credentialId) =>
    vault.seal({ credentialId, registryId: 'spare', instanceId: 'default' }, Secret.of(`token of ${credentialId}`)),
  )
  await data.query(
    `INSERT INTO registry_credentials
       (id, username, token, key_id, registry_id, hyperfleet_instance_id, external_name, state)
     SELECT id, id::text, token, $3, 'spare', 'default', id::text, 'active'
     FROM unnest($1::uuid[], $2::bytea[]) AS t (id, token)`,
    [ids, sealed.map(({ token }) => token), ring.active],
  )
}

async function opensAll({ data }: Database, ring: KeyRing): Promise<void> {
  const vault = tokenVault(ring)
  const { rows } = await data.query(`SELECT id, token FROM registry_credentials WHERE registry_id = 'spare'`)
  for (const { id, token } of rows) {
    const owner = { credentialId: id, registryId: 'spare', instanceId: 'default' }
    assert.equal(vault.open(owner, token).reveal(), `token of ${id}`)
  }
}

test('P58: a new active key writes, the old one still reads, re-encryption moves all and survives a kill, and no key retires early', async (t) => {
  const { followed, change } = aChangingRing()
  const scene = await pullSecretScene(t, { ring: followed })
  const { database, service } = scene
  await recordKeys(database.db, followed)
  const before = await service.issuing.generate({ cluster: clusterC }, tester)
  await addTokens(database, followed, 2_400)

  await change(scene, newActive)
  const read = await service.issuing.read(clusterC.id, tester)
  assert.equal(read.document.json.reveal(), before.pullSecret.document.json.reveal())
  await service.issuing.generate({ cluster: { ...clusterC, id: 'cls-new' } }, tester)
  assert.deepEqual(await tokensBy(database), { old: 2_402, new: 2 })
  const early = (error: unknown) => isFailure(error, 'PULL_KEY_IN_USE') && error.params['count'] === 2_402
  await assert.rejects(retireKey(database.db, 'old', tester, now), early)

  // Killed between two batches; another process goes on.
  const killed = await scene.pod({
    checkpoint: (name) => {
      if (name === 'pull.tokens-reencrypted') throw new Error('killed')
    },
  })
  await assert.rejects(killed.tick('reencryption'), /killed/)
  assert.deepEqual(await tokensBy(database), { old: 1_402, new: 1_002 })
  await opensAll(database, followed)
  await assert.rejects(retireKey(database.db, 'old', tester, now), (error) => isFailure(error, 'PULL_KEY_IN_USE'))
  await scene.tick('reencryption')
  assert.deepEqual(await tokensBy(database), { new: 2_404 })
  await opensAll(database, followed)

  // Another process may not have heard of the new key yet.
  const recent = (error: unknown) => isFailure(error, 'PULL_KEY_RECENT') && error.params['minutes'] === 5
  await assert.rejects(retireKey(database.db, 'old', tester, now), recent)
  await database.data.query(`UPDATE encryption_keys SET updated_at = updated_at - interval '5 minutes'`)
  await retireKey(database.db, 'old', tester, now)
  await change(scene, ({ active, keys }) => ({ active, keys: new Map([...keys].filter(([id]) => id !== 'old')) }))
  await readinessChecks(database, tokenVault(followed)).keys()
  const after = await service.issuing.read(clusterC.id, tester)
  assert.equal(after.document.json.reveal(), before.pullSecret.document.json.reveal())
  assert.deepEqual(
    (await keyStatus(database.db, followed)).map(({ keyId, status, tokens, inRing }) => [
      keyId,
      status,
      tokens,
      inRing,
    ]),
    [
      ['new', 'active', 2_404, true],
      ['old', 'retired', 0, false],
    ],
  )
  const audited = await database.db
    .selectFrom('credential_audit_log')
    .select('reason')
    .where('action', '=', 'reencrypt')
    .orderBy('id')
    .execute()
  assert.equal(audited.length, 4, 'one a batch, and the retirement')
  await assert.rejects(retireKey(database.db, 'new', tester, now), (error) => isFailure(error, 'PULL_KEY_IN_USE'))
  await assert.rejects(retireKey(database.db, 'none', tester, now), (error) => isFailure(error, 'PULL_KEY_UNKNOWN'))
})

test('a token that changes while it is sealed anew is not put back', async (t) => {
  const { followed, change } = aChangingRing()
  const scene = await pullSecretScene(t, { ring: followed })
  const { data } = scene.database
  await addTokens(scene.database, followed, 10)
  const { rows } = await data.query('SELECT id FROM registry_credentials ORDER BY id LIMIT 1')
  const owner = { credentialId: rows[0].id, registryId: 'spare', instanceId: 'default' }
  const changed = tokenVault(followed).seal(owner, Secret.of('changed')).token
  await change(scene, newActive)

  // Changed by a process whose ring is old, after it was read and before it is written.
  const client = await data.connect()
  await client.query('BEGIN')
  await client.query('UPDATE registry_credentials SET token = $2 WHERE id = $1', [owner.credentialId, changed])
  const ticking = scene.tick('reencryption')
  const waits = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await eventually('it waits for the row', async () => (await data.query(waits)).rows[0].n > 0)
  await client.query('COMMIT')
  client.release()
  await ticking
  assert.deepEqual(await tokensBy(scene.database), { new: 9, old: 1 })
  await scene.tick('reencryption')
  assert.deepEqual(await tokensBy(scene.database), { new: 10 })
  const after = await data.query('SELECT token FROM registry_credentials WHERE id = $1', [owner.credentialId])
  assert.equal(tokenVault(followed).open(owner, after.rows[0].token).reveal(), 'changed')
})

test('a token that no key opens is told of and left alone, and the others are moved', async (t) => {
  const { followed, change } = aChangingRing()
  const scene = await pullSecretScene(t, { ring: followed })
  const { data } = scene.database
  await addTokens(scene.database, followed, 10)
  await data.query(`UPDATE registry_credentials SET token = token || '\\x00'::bytea
    WHERE id = (SELECT id FROM registry_credentials ORDER BY id LIMIT 1)`)
  await change(scene, newActive)
  await scene.tick('reencryption')
  assert.deepEqual(await tokensBy(scene.database), { new: 9, old: 1 })
  assert.match(await scene.metrics.text(), /lanyard_pull_tokens_unreadable_total 1/)
  assert.match(scene.logged(), /a token cannot be opened/)
})

test('P59: while a key is missing /readyz answers 503, and neither a request nor a loop makes anything anew', async (t) => {
  const loops = { sweep: 0.2, rotation: 0.2, schedule: 0.2, expiry: 0.2, reencryption: 0.2 }
  const setting = await serveSetting(t, { loops })
  const service = await serving(t, setting)
  const path = `/clusters/${clusterId}/pull-secrets`
  assert.equal((await service.call('POST', path, facts)).status, 201)
  const before = await service.call('GET', path)
  assert.equal(await service.probe('/readyz'), 200)
  const ring = join(setting.data, 'keys.json')
  const whole = readFileSync(ring, 'utf8')
  const made = () => [setting.quay, setting.redhat].map((registry) => registry.accounts())
  const changes = () =>
    [setting.quay, setting.redhat].flatMap(({ calls }) => calls.filter(({ method }) => method !== 'GET')).length
  const accounts = made()
  const changed = changes()

  const [id, key] = newKey()
  writeFileSync(ring, formatKeyRing({ active: id, keys: new Map([[id, key]]) }).reveal())
  await eventually('it is not ready', async () => (await service.probe('/readyz')) === 503)
  assert.equal(await service.probe('/healthz'), 200)
  for (const [method, body] of [['POST', facts], ['GET']] as const) {
    const answer = await service.call(method, path, body)
    assert.equal(answer.status, 500, method)
    assert.match(answer.body.detail, /cannot be decrypted; check the key ring/)
  }
  assert.match(await service.metrics(), /lanyard_pull_tokens_unreadable_total [1-9]/)
  await eventually('the loops have seen it', () => service.printed().includes('the key ring lacks a key'))
  assert.equal(changes(), changed)
  assert.deepEqual(made(), accounts)

  writeFileSync(ring, whole)
  await eventually('it is ready again', async () => (await service.probe('/readyz')) === 200)
  const after = await service.call('GET', path)
  assert.deepEqual(after.body, before.body)
})

test('while a key is missing no loop makes anything anew in place of what it cannot read', async (t) => {
  const { followed, change } = aChangingRing()
  const scene = await pullSecretScene(t, { ring: followed })
  const { database, service } = scene
  const before = await service.issuing.generate({ cluster: clusterC }, tester)
  const { keys: whole } = followed
  const ready = () => readinessChecks(database, tokenVault(followed)).keys()
  await ready()

  await change(scene, () => ({ active: 'new', keys: new Map([['new', aKey()]]) }))
  await assert.rejects(ready(), (error) => {
    assert.ok(isFailure(error, 'PULL_KEY_MISSING'))
    assert.equal(error.status, 503)
    assert.match(error.message, /old/)
    return true
  })
  const calls = [scene.quay.calls.length, scene.redhat.calls.length]
  const unreadable = (error: unknown) => isFailure(error, 'PULL_TOKEN_UNREADABLE')
  await assert.rejects(service.issuing.generate({ cluster: clusterC }, tester), unreadable)
  await assert.rejects(service.issuing.read(clusterC.id, tester), unreadable)
  assert.match(await scene.metrics.text(), /lanyard_pull_tokens_unreadable_total [1-9]/)
  for (const loop of ['reencryption', 'sweep', 'rotation', 'schedule', 'expiry'] as const) await scene.tick(loop)
  assert.deepEqual([scene.quay.calls.length, scene.redhat.calls.length], calls)
  assert.deepEqual(await tokensBy(database), { old: 2 })

  await change(scene, ({ keys }) => ({ active: 'new', keys: new Map([...whole, ...keys]) }))
  await ready()
  const after = await service.issuing.read(clusterC.id, tester)
  assert.equal(after.document.json.reveal(), before.pullSecret.document.json.reveal())
})
