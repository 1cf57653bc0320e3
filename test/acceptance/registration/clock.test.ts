/** Clocks that differ are told as a number, and nothing else depends on them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { after as later } from '../../../src/core/clock.ts'
import { rfc3339 } from '../../../src/core/conditions.ts'
import { annotations, conditions } from '../../../src/fleet/names.ts'
import { healthRuns } from '../../../src/registration/hub/health/index.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HealthScene } from '../../support/health-scene.ts'
import { healthScene, stamp } from '../../support/health-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('the clock of a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: HealthScene
  before(async () => {
    scene = await healthScene(suite, healthRuns)
  })
  const clockOf = (name: string, status: 'True' | 'False') =>
    eventually(`the clock of ${name} is told as ${status}`, () => scene.condition(name, conditions.clockSynced), {
      until: (found) => found?.status === status,
    })
  const offBy = (seconds: number) => later(scene.clock.now(), seconds * 1_000)

  test('R43: a clock that is off by a grace is told with its number, while the cluster is judged by when the hub hears it', async () => {
    const { hub, join, renew, say, advance, availability, condition, clock } = scene
    await join('skewed', { leaseDurationSeconds: 10 })
    await renew('skewed', offBy(-1))
    assert.equal((await clockOf('skewed', 'True'))?.reason, 'ManagedClusterClockSynced')

    await renew('skewed', offBy(-49))
    await renew('skewed', offBy(-50))
    const behind = await clockOf('skewed', 'False')
    assert.equal(behind?.reason, 'ManagedClusterClockOutOfSync')
    assert.match(behind?.message ?? '', /50 seconds behind the hub's\. Set the time/)

    // Heard all the time, it stays available, although each renewTime is long past its grace; and it may say more.
    for (let round = 0; round < 12; round += 1) {
      await advance('10s', 1)
      await renew('skewed', offBy(-3_600))
    }
    assert.equal((await condition('skewed', conditions.available))?.status, 'True')
    await say('skewed', 'False')
    await say('skewed', 'True')
    const far = await eventually('the new number is told', () => condition('skewed', conditions.clockSynced), {
      until: (found) => found?.message.includes('3600 seconds behind') === true,
    })
    assert.equal(far?.lastTransitionTime, behind?.lastTransitionTime)

    // Silent, it is Unknown one grace later, although its last renewTime lies in the future. Heard at a full second,
    // because conditions know no less, and the clock goes on a little where a look takes long.
    await clock.advance(1_000 - (clock.now().getTime() % 1_000))
    await renew('skewed', offBy(7_200))
    const heardAt = hub.deps.view.heartbeats.receivedAt('skewed')
    assert.ok(heardAt)
    await eventually('the other direction is told', () => condition('skewed', conditions.clockSynced), {
      until: (found) => found?.message.includes("7200 seconds ahead of the hub's") === true,
    })
    await advance(later(heardAt, 50_000).getTime() - clock.now().getTime(), 2)
    const { lastTransitionTime: told } = await availability('skewed', 'Unknown')
    assert.ok(stamp(heardAt, 50) <= told && told <= rfc3339(clock.now()), `${told} for ${heardAt.toISOString()}`)

    await renew('skewed')
    assert.equal((await clockOf('skewed', 'True'))?.reason, 'ManagedClusterClockSynced')
  })

  test('it is written when it changes, not with each renewal', async () => {
    const { hub, join, renew } = scene
    await join('quiet', { leaseDurationSeconds: 10 })
    await renew('quiet', offBy(-60))
    await clockOf('quiet', 'False')
    const { resourceVersion } = (await hub.cluster('quiet')).metadata
    for (const seconds of [61, 65, 70, 75]) await renew('quiet', offBy(-seconds))
    await join('later', { leaseDurationSeconds: 10 })
    await renew('later', offBy(-60))
    await clockOf('later', 'False')
    assert.equal((await hub.cluster('quiet')).metadata.resourceVersion, resourceVersion)
  })

  test('an annotation ends the check and takes its condition away', async () => {
    const { hub, join, renew, condition } = scene
    await join('exempt', { leaseDurationSeconds: 10 })
    await renew('exempt', offBy(-60))
    await clockOf('exempt', 'False')
    const annotate = (value: string | null) =>
      hub.admin.of(ManagedCluster.resource).patch('exempt', {
        type: 'merge',
        body: { metadata: { annotations: { [annotations.skipClockSyncCheck]: value } } },
      })
    await annotate('true')
    await eventually(
      'the condition is gone',
      async () => (await condition('exempt', conditions.clockSynced)) === undefined,
    )
    await renew('exempt', offBy(-90))
    await annotate('false')
    await renew('exempt', offBy(-120))
    await eventually('it is told again', () => condition('exempt', conditions.clockSynced), {
      until: (found) => found?.message.includes('120 seconds behind') === true,
    })
  })
})
