import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNoCanary } from '../../support/canary.ts'
import type { CallAnswer } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { dumpOf } from '../../support/pull-secret-leaks.ts'
import { authsOf, clusterC, loginOf, pullSecretScene, sweepAll, tester } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

test('P57a: a dump of the database has no token, no JWT and no auth string in any column', async (t) => {
  const { service, databaseUrl } = await pullSecretScene(t)
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  const secrets = Object.keys(authsOf(pullSecret)).flatMap((host) => {
    const [, token] = loginOf(pullSecret, host)
    return [token, authsOf(pullSecret)[host]?.auth ?? '', ...token.split('.')]
  })
  const dump = await dumpOf(databaseUrl)
  assert.match(dump['table registry_credentials'] ?? '', /hyp-cls-/)
  assertNoCanary(dump, secrets)
})

test('P60: nothing that leaves the service shows a token, and every token that was read is audited', async (t) => {
  const scene = await apiScene(t)
  const { call, quay, redhat, database, clock } = scene
  const refused: string[] = []
  let tokensRead = 0
  const ask = async (method: string, where: string, body?: unknown): Promise<CallAnswer> => {
    const answer = await call(method, where, { headers, ...(body !== undefined && { body }) })
    if (answer.body?.pull_secret) tokensRead += 2
    else refused.push(answer.text, JSON.stringify(answer.headers))
    return answer
  }
  const allLoops = async () => {
    for (const loop of scene.service.loops) await scene.tick(loop.name)
  }

  // Trouble of every kind first, then all that the service can do.
  redhat.fail({ method: 'POST', do: 'apply-then-drop' }, { method: 'GET', times: 9, do: { answer: 500 } })
  quay.fail({ method: 'PUT', path: '/members/', do: { answer: 400, body: { message: scene.canary } } })
  await ask('POST', path, generateBody)
  quay.heal()
  redhat.heal()
  quay.refuseOurs = true
  await ask('POST', path, generateBody)
  quay.refuseOurs = false
  await sweepAll(scene)
  assert.ok((await ask('POST', path, generateBody)).status < 300)
  await ask('POST', path, generateBody)
  await ask('GET', path)
  await ask('GET', `${path}?include_metadata=true`)
  await ask('POST', `${path}/rotations`, { reason: 'manual' })
  await allLoops()
  await ask('GET', path)
  await clock.advance('8d')
  await allLoops()
  await allLoops()
  await ask('POST', `${path}/suspend`, { reason: 'abuse' })
  await ask('GET', path)
  // Tells the state and no token, but reads what it tells of.
  assert.equal((await ask('POST', `${path}/resume`, { reason: 'cleared' })).status, 200)
  tokensRead += 2
  await ask('GET', path)
  await ask('GET', '/credentials')
  await ask('GET', `${path}/rotations`)
  redhat.fail({ method: 'DELETE', times: 20, do: { answer: 500, body: { message: scene.canary } } })
  assert.equal((await ask('DELETE', path)).status, 202)
  redhat.heal()
  await sweepAll(scene)
  await allLoops()

  await scene.assertQuiet()
  assertNoCanary({ 'problems and metadata': refused.join('\n'), metrics: await scene.metrics.text() }, scene.canary)
  const reads = await database.db.selectFrom('credential_audit_log').selectAll().where('action', '=', 'read').execute()
  const asked = reads.filter(({ actor }) => actor === 'operator@example.com')
  assert.equal(asked.length, tokensRead)
  for (const { actor, trace_id, cluster_id, credential_id } of asked)
    assert.deepEqual(
      [actor, trace_id, cluster_id, typeof credential_id],
      ['operator@example.com', traceId, clusterC.id, 'string'],
    )
})

test('the search for tokens finds one that is planted', async (t) => {
  const scene = await pullSecretScene(t)
  const { database, canary } = scene
  await scene.assertQuiet()
  const auth = Buffer.from(`user:${canary}`).toString('base64')
  const clean = await database.db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('credential_audit_log')
      .values({ id: crypto.randomUUID(), action: 'read', actor: 'planted', reason: auth } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    return () => database.db.deleteFrom('credential_audit_log').where('id', '=', id).execute()
  })
  await assert.rejects(scene.assertQuiet(), /table credential_audit_log: base64/)
  await clean()
  await scene.assertQuiet()
})
