import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { isFailure } from '../../src/core/failure.ts'
import { readinessChecks } from '../../src/pull-secrets/store/readiness.ts'
import { probeServer } from '../../src/server/rest/index.ts'
import { eventually } from '../support/eventually.ts'
import { never } from '../support/never.ts'
import { debianPostgres } from '../support/postgres.ts'
import type { Pair } from '../support/postgres-pair.ts'
import { aPair } from '../support/postgres-pair.ts'
import type { ApiScene } from '../support/pull-secret-api.ts'
import { apiScene, generateBody } from '../support/pull-secret-api.ts'
import { clusterC, strayAccounts, sweepAll } from '../support/pull-secret-scene.ts'
import { teardown } from '../support/test-scope.ts'

interface Scene extends ApiScene {
  pair: Pair
  post(): ReturnType<ApiScene['call']>
  probe(path: 'healthz' | 'readyz'): Promise<number>
}

async function aScene(t: TestContext): Promise<Scene | undefined> {
  if (!debianPostgres()) {
    const reason = 'needs PostgreSQL in /usr/lib/postgresql (docs/testing.md says what each peer needs)'
    if (process.env['CI']) throw new Error(reason)
    t.skip(reason)
    return undefined
  }
  const pair = await aPair(t)
  const scene = await apiScene(t, { databaseUrl: pair.url })
  const { clock, log, database } = scene
  const checks = readinessChecks(database, { keyIds: new Set(['key-1']) })
  const told = (check: () => Promise<void>) => () =>
    check().then(
      () => undefined,
      (error: unknown) => (isFailure(error) ? error.message : 'it cannot be asked'),
    )
  const ready = { database: told(checks.database), keys: told(checks.keys) }
  const probes = probeServer({ listen: { host: '127.0.0.1', port: 0 }, clock, log, checks: { ready } })
  const stop = new AbortController()
  const running = probes.run(stop.signal)
  teardown(t, async () => {
    stop.abort()
    await running
  })
  const { url } = await probes.listening
  return {
    ...scene,
    pair,
    post: () => scene.call('POST', `/clusters/${clusterC.id}/pull-secrets`, { body: generateBody }),
    probe: async (path) => (await fetch(`${url}/${path}`)).status,
  }
}

/** Whether the registry was asked and has not answered: the call is outside, and the lock is held. */
const isOutside = ({ quay }: Scene) => quay.accounts().length > 0

for (const [when, isMade] of [
  ['while the registry makes the robot', true],
  ['before the registry did anything', false],
] as const) {
  test(`P52: the database fails over ${when}: one robot, 503, then a retry succeeds`, async (t) => {
    const scene = await aScene(t)
    if (!scene) return
    const { pair, quay, redhat, post, probe } = scene
    assert.deepEqual([await probe('healthz'), await probe('readyz')], [200, 200])
    const asked = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const hold = () => {
      asked.resolve()
      return letGo.promise
    }
    quay.fail({ method: 'PUT', path: '/robots/', do: isMade ? 'apply-then-hang' : { hold } })
    const answering = post()
    if (isMade) await eventually('the robot is made', () => isOutside(scene))
    else await asked.promise

    pair.killPrimary()
    const answer = await answering
    assert.equal(answer.status, 503)
    assert.match(answer.body.code, /SVC-001$/)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.deepEqual([await probe('healthz'), await probe('readyz')], [200, 503])
    assert.equal((await post()).status, 503)

    // What the registry was asked for it does now, when nobody waits for it any more.
    letGo.resolve()
    await eventually('the robot is made', () => isOutside(scene))
    quay.heal()
    await pair.failOver()
    await eventually('it is ready again', async () => (await probe('readyz')) === 200)
    const retried = await eventually('a retry succeeds', post, { until: ({ status }) => status < 500 })
    assert.ok(retried.status === 201 || retried.status === 200, retried.text)
    await sweepAll(scene)
    assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
    await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
    const puts = quay.calls.filter(({ method, path }) => method === 'PUT' && /\/robots\/[^/]+$/.test(path))
    assert.equal(new Set(puts.map(({ path }) => path)).size, 1, 'every attempt was for the one name on record')
  })
}
