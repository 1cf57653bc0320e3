import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../support/eventually.ts'
import type { ServeSetting } from '../../support/pull-secret-process.ts'
import { facts, secretPath, serveSetting, serving } from '../../support/pull-secret-process.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

async function openDatabase(t: TestScope, { databaseUrl }: ServeSetting) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  teardown(t, () => client.end())
  return async (text: string) => (await client.query(text)).rows
}

suite('a stop', () => {
  test('P56: SIGTERM during a create that hangs ends the process with 0 within 20 s, and leaves no orphan after a restart', async (t) => {
    const setting = await serveSetting(t, { drainSeconds: 2 })
    const { quay, redhat } = setting
    const first = await serving(t, setting)
    assert.equal(await first.probe('/readyz'), 200)
    // The robot is made, and nobody is told: the worst moment to be stopped at.
    quay.fail({ method: 'PUT', path: '/robots/', do: 'apply-then-hang' })
    const asked = first.call('POST', secretPath, facts).catch(() => undefined)
    await eventually('the robot is made', () => quay.accounts().length === 1)
    const { code, seconds } = await first.stop()
    assert.equal(code, 0, first.printed())
    assert.ok(seconds < 20, `it took ${seconds} s`)
    await asked
    assert.equal(quay.accounts().length, 1, 'what the create left behind')

    const query = await openDatabase(t, setting)
    const second = await serving(t, setting)
    await eventually('the sweep has settled it', async () => {
      const [open] = await query(
        `SELECT count(*)::int AS n FROM credential_intents WHERE phase NOT IN ('committed', 'done')`,
      )
      return open.n === 0
    })
    const known = async () =>
      (await query('SELECT external_name FROM registry_credentials')).map((row) => row.external_name)
    const names = new Set(await known())
    const orphans = [...quay.accounts(), ...redhat.accounts()].filter(({ name }) => !names.has(name))
    assert.deepEqual(orphans, [])

    const made = await second.call('POST', secretPath, facts)
    assert.ok(made.status === 200 || made.status === 201, JSON.stringify(made.body))
    assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
    assert.equal((await second.call('DELETE', secretPath)).status, 204)
    assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])
    assert.equal((await second.stop()).code, 0)
  })

  test('P56a: SIGTERM during a create turns readyz to 503, and what ends in time is answered before the process ends', async (t) => {
    const setting = await serveSetting(t)
    const { quay, redhat } = setting
    const process = await serving(t, setting)
    const held = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const hold = () => {
      held.resolve()
      return letGo.promise
    }
    quay.fail({ method: 'PUT', path: '/robots/', do: { hold } })
    const asked = process.call('POST', secretPath, facts)
    await held.promise
    const stopped = process.stop()
    const seen = await eventually('readyz says that it stops', async () => {
      const ready = await process.probe('/readyz')
      return ready !== 200 && { ready, health: await process.probe('/healthz') }
    })
    assert.deepEqual(seen, { ready: 503, health: 200 })
    // The drain ends with this answer, not by the clock: the probes are served until then.
    letGo.resolve()
    assert.equal((await asked).status, 201)
    const { code } = await stopped
    assert.equal(code, 0, process.printed())
    assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
  })
})
