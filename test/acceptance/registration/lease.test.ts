/** The lease of a cluster as the hub sees it. Agents are played by the test, which writes what they would. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { rfc3339 } from '../../../src/core/conditions.ts'
import { conditions, labels, leaseName } from '../../../src/fleet/names.ts'
import { events, leases } from '../../../src/kube/kinds.ts'
import { healthRuns } from '../../../src/registration/hub/health/index.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HealthScene } from '../../support/health-scene.ts'
import { healthScene, stamp } from '../../support/health-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('the lease of a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: HealthScene
  before(async () => {
    scene = await healthScene(suite, healthRuns, { settings: { labels: { team: 'fleet' } } })
  })
  const leaseOf = (cluster: string) => scene.hub.admin.of(leases, cluster).find(leaseName)
  /** Moves time to so many seconds after this moment. */
  const advanceTo = (from: Date, seconds: number, steps: number) =>
    scene.advance(from.getTime() + seconds * 1_000 - scene.clock.now().getTime(), steps)
  /** Told when so many seconds were over, and not before. The clock moves on only while somebody waits. */
  function assertTold({ lastTransitionTime: told }: Condition, from: Date, seconds: number): void {
    const [earliest, latest] = [stamp(from, seconds), rfc3339(scene.clock.now())]
    assert.ok(earliest <= told && told <= latest, `${told} is not within ${earliest} and ${latest}`)
  }

  test('the hub makes it once the cluster is accepted, and again when it is deleted', async () => {
    const { hub, accept } = scene
    await hub.admin.of(ManagedCluster.resource).create({ metadata: { name: 'asking' } })
    await accept('made', { leaseDurationSeconds: 20 })
    const lease = await eventually('there is a lease', () => leaseOf('made'))
    assert.deepEqual(lease.metadata.labels, { team: 'fleet', [labels.clusterName]: 'made' })
    assert.equal(lease.spec?.holderIdentity, leaseName)
    assert.equal(lease.spec?.leaseDurationSeconds, 20)
    await hub.admin.of(leases, 'made').delete(leaseName)
    const again = await eventually('there is one again', () => leaseOf('made'))
    assert.notEqual(again.metadata.uid, lease.metadata.uid)
    assert.equal((await hub.admin.of(leases).list({ labelSelector: `${labels.clusterName}=asking` })).items.length, 0)
  })

  test('a lease that lost its label or tells another duration is put right', async () => {
    const { hub, join } = scene
    await join('labelled')
    const body = { metadata: { labels: { [labels.clusterName]: null, mine: 'kept' } } }
    await hub.admin.of(leases, 'labelled').patch(leaseName, { type: 'merge', body })
    const lease = await eventually('the label is back', () => leaseOf('labelled'), {
      until: (found) => found?.metadata.labels?.[labels.clusterName] === 'labelled',
    })
    assert.equal(lease?.metadata.labels?.['mine'], 'kept')
    const spec = { leaseDurationSeconds: 30 }
    await hub.admin.of(ManagedCluster.resource).patch('labelled', { type: 'merge', body: { spec } })
    await eventually(
      'it tells the new duration',
      async () => (await leaseOf('labelled'))?.spec?.leaseDurationSeconds === 30,
    )
  })

  test('R38a: a cluster whose lease is renewed stays available, whatever becomes of others', async () => {
    const { join, renew, advance, availability, condition } = scene
    await join('steady', { leaseDurationSeconds: 10 })
    await join('silent', { leaseDurationSeconds: 10 })
    for (let round = 0; round < 10; round += 1) {
      await advance('10s', 1)
      await renew('steady')
    }
    await availability('silent', 'Unknown')
    assert.equal((await condition('steady', conditions.available))?.status, 'True')
  })

  test('R39a: a cluster that stops renewing is Unknown at the moment its grace ends, until its agent is back', async () => {
    const { hub, join, renew, say, advance, heardAt, availability, condition } = scene
    await join('west')
    await advance('40s', 1)
    await renew('west')
    const lastAt = heardAt('west')
    await advanceTo(lastAt, 299, 4)
    assert.equal((await condition('west', conditions.available))?.status, 'True')
    await advanceTo(lastAt, 300, 1)
    const available = await availability('west', 'Unknown')
    assert.equal(available.reason, 'ManagedClusterLeaseUpdateStopped')
    assert.equal(available.message, 'Registration agent stopped updating its lease.')
    assertTold(available, lastAt, 300)
    await eventually('it is told as an event', async () =>
      (await hub.admin.of(events).list()).items.some(
        ({ reason, involvedObject }) => reason === 'AvailableUnknown' && involvedObject.name === 'west',
      ),
    )
    await say('west', 'True')
    await renew('west')
    const backAt = heardAt('west')
    await advanceTo(backAt, 300, 4)
    assertTold(await availability('west', 'Unknown'), backAt, 300)
  })

  test('an agent that says its cluster is available before it renews is not contradicted', async () => {
    const { join, renew, say, advance, heardAt, availability, condition } = scene
    await join('early', { leaseDurationSeconds: 10 })
    await advance('50s', 2)
    await availability('early', 'Unknown')
    await say('early', 'True')
    await advanceTo(heardAt('early'), 20, 2)
    assert.equal((await condition('early', conditions.available))?.status, 'True')
    await renew('early')
    const renewedAt = heardAt('early')
    await advanceTo(renewedAt, 50, 2)
    assertTold(await availability('early', 'Unknown'), renewedAt, 50)
  })

  test('R40: a changed leaseDurationSeconds brings its own grace at once, shorter or longer', async () => {
    const { hub, join, advance, heardAt, availability, condition } = scene
    await join('shorter')
    await join('longer', { leaseDurationSeconds: 10 })
    const [shortAt, longAt] = [heardAt('shorter'), heardAt('longer')]
    await advance('20s', 1)
    const set = async (name: string, leaseDurationSeconds: number) => {
      const body = { spec: { leaseDurationSeconds } }
      await hub.admin.of(ManagedCluster.resource).patch(name, { type: 'merge', body })
      await eventually('the hub sees it', () => {
        return hub.deps.view.clusters.get(name)?.spec?.leaseDurationSeconds === leaseDurationSeconds
      })
    }
    await set('shorter', 10)
    await set('longer', 60)
    await advanceTo(longAt, 50, 1)
    assertTold(await availability('shorter', 'Unknown'), shortAt, 50)
    assert.equal((await condition('longer', conditions.available))?.status, 'True')
    await advanceTo(longAt, 300, 4)
    assertTold(await availability('longer', 'Unknown'), longAt, 300)
  })

  test('R41a: a cluster that is deleted and accepted again is counted anew, with its lease', async () => {
    const { hub, join, renew, advance, heardAt, availability, condition } = scene
    await join('again', { leaseDurationSeconds: 10 })
    await advance('40s', 1)
    await hub.admin.of(ManagedCluster.resource).delete('again')
    await eventually('the hub sees it go', () => hub.deps.view.clusters.get('again') === undefined)
    await join('again', { leaseDurationSeconds: 10 })
    await renew('again')
    const lastAt = heardAt('again')
    await advanceTo(lastAt, 30, 1)
    assert.equal((await condition('again', conditions.available))?.status, 'True')
    await advanceTo(lastAt, 50, 1)
    assertTold(await availability('again', 'Unknown'), lastAt, 50)
  })

  test('a cluster that is being deleted and has no lease is Unknown at once', async () => {
    const { hub, accept, say, availability } = scene
    const clusters = hub.admin.of(ManagedCluster.resource)
    await clusters.create({ metadata: { name: 'leaving', finalizers: ['lanyard.io/test'] } })
    await say('leaving', 'True')
    await clusters.delete('leaving')
    const available = await availability('leaving', 'Unknown')
    assert.equal(available.reason, 'ManagedClusterLeaseUpdateStopped')
    await clusters.patch('leaving', { type: 'merge', body: { metadata: { finalizers: null } } })
    await accept('after-leaving')
  })

  test('a hub that starts anew gives every cluster a whole grace again', async () => {
    const { join, restart, advance, heardAt, availability, condition } = scene
    await join('old', { leaseDurationSeconds: 10 })
    await advance('45s', 1)
    await restart()
    // A hub that starts hears of every lease anew.
    const startedAt = heardAt('old')
    await advanceTo(startedAt, 40, 2)
    assert.equal((await condition('old', conditions.available))?.status, 'True')
    await advanceTo(startedAt, 50, 1)
    assertTold(await availability('old', 'Unknown'), startedAt, 50)
  })
})
