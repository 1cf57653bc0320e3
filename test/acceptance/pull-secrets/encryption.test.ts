import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import type { Database } from '../../../src/pull-secrets/store/database.ts'
import { assertNoCanary } from '../../support/canary.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

/** Every row of every table, by table, as text; bytes in hex. */
async function dump({ data }: Database): Promise<Record<string, string>> {
  const tables = await data.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
  const texts: Record<string, string> = {}
  for (const { name } of tables.rows) {
    const { rows } = await data.query(`SELECT t::text AS row FROM ${name} t`)
    texts[name] = rows.map(({ row }) => row).join('\n')
  }
  return texts
}

const unreadable = (error: unknown) => isFailure(error, 'PULL_TOKEN_UNREADABLE') && error.status === 500

test('P57: a dump of the database shows no token, and swapped ciphertexts are an error, not wrong data', async (t) => {
  const scene = await pullSecretScene(t)
  const other = { ...clusterC, id: 'cls-other' }
  const documents: string[] = []
  for (const cluster of [clusterC, other]) {
    const { pullSecret } = await scene.service.issuing.generate({ cluster }, tester)
    documents.push(pullSecret.document.json.reveal())
  }
  await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  await scene.service.issuing.read(clusterC.id, tester)

  const auths = documents.flatMap((json) => Object.values(JSON.parse(json).auths as Record<string, { auth: string }>))
  const texts = await dump(scene.database)
  assert.ok(texts['registry_credentials'])
  assertNoCanary(texts, [scene.canary, ...auths.map(({ auth }) => auth)])

  const { rowCount } = await scene.database.data.query(
    `UPDATE registry_credentials a SET token = b.token, key_id = b.key_id FROM registry_credentials b
     WHERE a.registry_id = 'quay' AND b.registry_id = 'quay' AND a.state = 'active' AND b.state = 'active'
       AND a.account_id <> b.account_id`,
  )
  assert.equal(rowCount, 2)
  for (const { id } of [clusterC, other]) await assert.rejects(scene.service.issuing.read(id, tester), unreadable)
  const before = scene.quay.calls.length
  await assert.rejects(scene.service.issuing.generate({ cluster: other }, tester), unreadable)
  assert.equal(scene.quay.calls.length, before, 'nothing is made in place of what cannot be read')
})
