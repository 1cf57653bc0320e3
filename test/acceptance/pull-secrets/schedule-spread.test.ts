import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pullSecretScene } from '../../support/pull-secret-scene.ts'
import { seedClusters } from '../../support/pull-secret-seed.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

test('P35: 500 clusters of one minute are rotated over the whole window, and the registry is never called faster than allowed', async (t) => {
  const rate = { rps: 300, burst: 10 }
  const scene = await pullSecretScene(t, {
    registries: (standard) => standard.filter(({ id }) => id === 'quay').map((one) => ({ ...one, rate })),
  })
  const { db } = scene.database
  await seedClusters(scene, 500, { withinMs: minuteMs, registries: ['quay'] })
  const started = async () => {
    const { count } = await db
      .selectFrom('pull_secret_rotations')
      .select((select) => select.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  // The window is the last day before the end of the policy.
  await scene.clock.advance(89 * dayMs)
  await scene.tick('schedule')
  assert.equal(await started(), 0)
  const startsByHour: number[] = []
  for (let hour = 0, before = 0; hour < 24; hour++, before = await started()) {
    await scene.clock.advance(hour === 23 ? hourMs + minuteMs : hourMs)
    await scene.tick('schedule')
    startsByHour.push((await started()) - before)
    await scene.tick('rotation')
  }
  assert.equal(await started(), 500)
  const mean = 500 / 24
  assert.ok(Math.max(...startsByHour) < 2.5 * mean, `at most ${Math.max(...startsByHour)} in an hour`)
  assert.ok(Math.min(...startsByHour) > mean / 5, `at least ${Math.min(...startsByHour)} in an hour`)

  const open = await db.selectFrom('pull_secret_rotations').select('phase').execute()
  assert.ok(open.every(({ phase }) => phase === 'dual'))
  assert.equal(scene.quay.accounts().length, 500)
  assertWithin(
    rate,
    scene.quay.calls.map(({ at }) => at.getTime()),
  )
})

/**
 * In every window from one call to another. What arrives in it was let go in it, but for those that were on their way
 * already: at most one of each cluster that is worked on at once.
 */
function assertWithin({ rps, burst }: { rps: number; burst: number }, arrivals: readonly number[]): void {
  const onTheirWay = 4
  const perMs = rps / 1_000
  let emptiest = Number.NEGATIVE_INFINITY
  arrivals.forEach((at, index) => {
    emptiest = Math.max(emptiest, perMs * at - index)
    // Of the window up to here that is fullest; times are cut to the millisecond.
    const above = index + 1 - perMs * (at + 1) + emptiest
    assert.ok(above <= burst + onTheirWay, `${above} calls more than ${rps} a second, up to call ${index + 1}`)
  })
}
