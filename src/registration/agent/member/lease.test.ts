import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditions, leaseName } from '../../../fleet/names.ts'
import { leases } from '../../../kube/kinds.ts'
import { heartbeat, leaseDurationMs, renewalPauseMs, retryPauseMs } from './lease.ts'
import { aCondition, acceptance, httpFailure, memberScene } from './testing/scene.ts'

const accepted = { conditions: [acceptance] }

function beating(t: { after(action: () => void): void }, fraction?: () => number) {
  const scene = memberScene(fraction && { fraction })
  const pulse = heartbeat(scene.deps, scene.deps.onRenewed)
  scene.run(t, pulse.run)
  const leaseOf = () => scene.hub.of(leases, 'west').get(leaseName)
  return { ...scene, pulse, leaseOf }
}

test('the first renewal is made at once, the next after one duration to one and a quarter', async (t) => {
  let drawn = 0
  const { cluster, lease, clock, renewedAt, leaseOf } = beating(t, () => drawn)
  await lease()
  await cluster(accepted)
  assert.equal(renewedAt.length, 1)
  const start = clock.now().getTime()
  drawn = 0.999
  await clock.advance('60s')
  drawn = 0.4
  await clock.advance('74985ms')
  await clock.advance('66s')
  assert.deepEqual(
    renewedAt.map((at) => at.getTime() - start),
    [0, 60_000, 134_985, 200_985],
  )
  assert.equal((await leaseOf()).spec?.renewTime, '2026-01-01T00:03:20.985000Z')
  assert.equal((await leaseOf()).spec?.holderIdentity, leaseName)
})

test('a renewal is one request', async (t) => {
  const { cluster, lease, clock, hub } = beating(t)
  await lease()
  await cluster(accepted)
  const before = hub.calls.length
  await clock.advance('10m')
  assert.deepEqual(
    hub.calls.slice(before).filter(({ verb }) => verb !== 'watch'),
    Array.from({ length: 10 }, () => ({ verb: 'update', plural: 'leases', name: leaseName })),
  )
})

test('a lease that somebody else has changed or made again is read and renewed', async (t) => {
  const { cluster, lease, clock, hub, renewedAt, leaseOf } = beating(t)
  await lease()
  await cluster(accepted)
  await hub.of(leases, 'west').patch(leaseName, { type: 'merge', body: { spec: { leaseDurationSeconds: 7 } } })
  await clock.advance('60s')
  assert.equal((await leaseOf()).spec?.leaseDurationSeconds, 7)
  await hub.of(leases, 'west').delete(leaseName)
  await lease()
  await clock.advance('60s')
  assert.equal(renewedAt.length, 3)
  assert.equal((await leaseOf()).spec?.renewTime, '2026-01-01T00:02:00.000000Z')
})

test('nothing is renewed while the hub does not accept, and at once when it does again', async (t) => {
  const { cluster, lease, clock, renewedAt } = beating(t)
  await lease()
  await cluster({ conditions: [] })
  await clock.advance('10m')
  assert.equal(renewedAt.length, 0)
  await cluster(accepted)
  assert.equal(renewedAt.length, 1)
  await cluster({ conditions: [aCondition(conditions.accepted, 'False')] })
  await clock.advance('10m')
  assert.equal(renewedAt.length, 1)
  await cluster(accepted)
  assert.equal(renewedAt.length, 2)
})

test('R41c: a cluster that is deleted pauses the lease, one that is made again and accepted resumes it', async (t) => {
  const { cluster, clusters, lease, clock, renewedAt } = beating(t)
  await lease()
  await cluster(accepted)
  await clusters.delete('west')
  await clock.advance('10m')
  assert.equal(renewedAt.length, 1)
  await cluster({ conditions: [] })
  await clock.advance('1m')
  await cluster(accepted)
  assert.equal(renewedAt.length, 2)
  await clock.advance('60s')
  assert.equal(renewedAt.length, 3)
})

test('another duration counts from now on', async (t) => {
  const { cluster, lease, clock, renewedAt } = beating(t)
  await lease()
  await cluster(accepted, { leaseDurationSeconds: 600 })
  await cluster(accepted, { leaseDurationSeconds: 5 })
  assert.equal(renewedAt.length, 2)
  await clock.advance('20s')
  assert.equal(renewedAt.length, 6)
})

test('a change of the cluster that does not concern the lease does not renew it', async (t) => {
  const { cluster, lease, renewedAt } = beating(t)
  await lease()
  await cluster(accepted)
  await cluster({ conditions: [acceptance, aCondition(conditions.available, 'True')] })
  assert.equal(renewedAt.length, 1)
})

test('failures are tried again with growing pauses, well inside the grace', async (t) => {
  const { cluster, clock, hub, lease, renewedAt } = beating(t)
  await cluster(accepted)
  await clock.advance('1s')
  assert.ok(hub.calls.filter(({ plural }) => plural === 'leases').length < 6, 'no storm while there is no lease')
  await lease()
  await clock.advance('2s')
  assert.equal(renewedAt.length, 1)
  hub.failNext(8, httpFailure(500, 'InternalError'), 'update', 'get')
  await clock.advance('150s')
  assert.ok(renewedAt.length >= 2)
})

test('0 and nothing mean 60 seconds', () => {
  assert.equal(leaseDurationMs({}), 60_000)
  assert.equal(leaseDurationMs({ spec: { leaseDurationSeconds: 0 } }), 60_000)
  assert.equal(leaseDurationMs({ spec: { leaseDurationSeconds: 5 } }), 5_000)
})

test('pauses lie between their bounds', () => {
  for (const drawn of [0, 0.3, 0.999999]) {
    const random = { fraction: () => drawn, suffix: () => '' }
    const pause = renewalPauseMs(60_000, random)
    assert.ok(pause >= 60_000 && pause <= 75_000)
    for (const attempt of [0, 1, 5, 50]) assert.ok(retryPauseMs(attempt, 60_000, random) <= 15_000)
  }
})
