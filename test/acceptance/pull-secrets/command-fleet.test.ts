import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import pg from 'pg'
import { assertNoCanary } from '../../support/canary.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyard } from '../../support/lanyard.ts'
import { commands, serveSetting, serving } from '../../support/pull-secret-process.ts'

suite('lanyard pull-secrets for a fleet', () => {
  test('the whole fleet is rotated once a run: what rotates already is left alone, and a run that was cut off goes on', async (t) => {
    const setting = await serveSetting(t)
    const service = await serving(t, setting)
    const { succeeds, told } = commands(t, setting)
    for (const id of ['a', 'b', 'c'])
      await service.call('POST', `/clusters/${id}/pull-secrets`, { cloud_provider: 'gcp', region: 'us-east1' })
    const rotationsOf = async (id: string) =>
      (await service.call('GET', `/clusters/${id}/pull-secrets/rotations`)).body.items
    await service.call('POST', '/clusters/a/pull-secrets/rotations', { reason: 'manual' })
    assert.match(await succeeds('rotate', '--all'), /2 clusters are being rotated: 1 were rotating already/)
    for (const id of ['a', 'b', 'c']) assert.equal((await rotationsOf(id)).length, 1)

    // As an interrupted run leaves it: begun, and asked for one of them.
    const run = { id: 'run-1', reason: 'compromise' }
    const done = async (id: string) => {
      await eventually(
        `${id} has its new credentials`,
        async () => (await rotationsOf(id))[0].progress.phase === 'dual',
      )
      await service.call('POST', `/clusters/${id}/pull-secrets/rotations/${(await rotationsOf(id))[0].id}/confirm`)
      await eventually(`${id} is rotated`, async () => (await rotationsOf(id))[0].status === 'completed')
    }
    for (const id of ['a', 'b', 'c']) await done(id)
    writeFileSync(join(setting.data, 'pull-secrets', 'rotate-all.json'), JSON.stringify(run))
    const token = readFileSync(join(setting.data, 'pull-secrets', 'operator-token'), 'utf8').trim()
    const asked = await fetch(`${service.url}/api/hyperfleet/v1/clusters/b/pull-secrets/rotations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'run-1:b' },
      body: JSON.stringify({ reason: 'compromise', force_immediate: false }),
    })
    assert.equal(asked.status, 201)
    const out = await succeeds('rotate', '--all', '--reason', 'compromise', '--wait')
    assert.match(out, /going on with a run that was interrupted: 3 clusters[\s\S]*3 clusters are being rotated/)
    for (const id of ['a', 'b', 'c']) assert.equal((await rotationsOf(id)).length, 2, `${id} once by this run`)
    assertNoCanary(told, setting.canary)
  })

  test('keys are listed, rotated and retired beside a service that runs', async (t) => {
    const setting = await serveSetting(t, { loops: { reencryption: 0.2 } })
    const service = await serving(t, setting)
    await service.call('POST', '/clusters/a/pull-secrets', { cloud_provider: 'gcp', region: 'us-east1' })
    const keys = async (...words: string[]) => {
      const child = lanyard(t, ['pull-secrets', 'keys', ...words, '--config', setting.config], {
        DATABASE_URL: setting.databaseUrl,
      })
      return await child.ended
    }
    const listed = async () => JSON.parse((await keys('list', '-o', 'json')).out)
    const [old] = await listed()
    assert.deepEqual([old.status, old.tokens], ['active', 2])
    assert.match((await keys('rotate')).out, /seals tokens from now on/)
    assert.match((await keys('retire', old.keyId)).err, /PULL_KEY_(IN_USE|ACTIVE|RECENT)/)
    await eventually('everything is sealed anew', async () =>
      (await listed()).some((key: { keyId: string; tokens: number }) => key.keyId !== old.keyId && key.tokens === 2),
    )
    assert.match((await keys('retire', old.keyId)).err, /PULL_KEY_RECENT/)
    const database = new pg.Client({ connectionString: setting.databaseUrl })
    await database.connect()
    await database.query(`UPDATE encryption_keys SET updated_at = updated_at - interval '5 minutes'`)
    await database.end()
    assert.match((await keys('retire', old.keyId)).out, /is retired/)
    assert.equal((await service.call('GET', '/clusters/a/pull-secrets')).status, 200)
  })
})
