import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { eventually } from '../../support/eventually.ts'
import { never } from '../../support/never.ts'
import { clusterC, pullSecretScene, strayAccounts, sweepAll, tester } from '../../support/pull-secret-scene.ts'

test('P52a: a request whose lock is lost calls no registry any more, and a retry goes on with what it began', async (t) => {
  const scene = await pullSecretScene(t)
  const { quay, redhat, database, service } = scene
  // The team is still to be joined when it is over.
  quay.fail({ method: 'PUT', path: '/robots/', do: 'apply-then-hang' })
  const asked = service.issuing.generate({ cluster: clusterC }, tester)
  const outcome = assert.rejects(asked, (error) => isFailure(error, 'PULL_DATABASE_AWAY') && error.status === 503)
  await eventually('both registries were called', () => quay.accounts().length + redhat.accounts().length === 2)
  const { rowCount } = await database.data.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'lanyard locks' AND state = 'idle in transaction'`,
  )
  assert.equal(rowCount, 1)
  await outcome
  assert.deepEqual(
    quay.calls.filter(({ path }) => path.includes('/team/')),
    [],
  )
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(pullSecret.credentials.length, 2)
  await sweepAll(scene)
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
})

test('the lock is the one that others of the fleet know, and keeps nobody else waiting', async (t) => {
  const scene = await pullSecretScene(t)
  const other = await scene.pod()
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const client = await other.database.locks.connect()
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock(-1584207985, 2100317334)')
  const calls = [scene, other].map(({ service }) =>
    service.issuing.generate({ cluster: { ...clusterC, id: 'cls-abc-123' } }, tester),
  )
  const elsewhere = await scene.service.issuing.generate({ cluster: { ...clusterC, id: 'cls-other' } }, tester)
  assert.ok(elsewhere.created)
  assert.equal(scene.quay.accounts().length, 2, 'the one whose lock is held elsewhere waits')
  await client.query('ROLLBACK')
  client.release()
  const made = await Promise.all(calls)
  assert.equal(new Set(made.map(({ pullSecret }) => pullSecret.etag)).size, 1)
  assert.equal(scene.quay.accounts().length, 3)
})
