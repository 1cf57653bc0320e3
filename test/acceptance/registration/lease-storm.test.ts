/**
 * A hub that comes back to a fleet which fell due meanwhile. The hub lives by the fake clock; its client and the limit of
 * that by the real one, as the network does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { findCondition, rfc3339 } from '../../../src/core/conditions.ts'
import { conditions, labels, leaseName, taints } from '../../../src/fleet/names.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { microTime } from '../../../src/kube/lease-record.ts'
import { healthRuns } from '../../../src/registration/hub/health/index.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { hubScene, installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { Traffic } from '../../support/traffic.ts'
import { traffic } from '../../support/traffic.ts'

const fleet = Array.from({ length: 60 }, (_, index) => `cluster-${index}`)
const limit = { qps: 60, burst: 20 }
const graceMs = 300_000
const telling = 'PATCH managedclusters.cluster.open-cluster-management.io/status'
const tainting = 'PATCH managedclusters.cluster.open-cluster-management.io'

/** A fleet that has joined, and whose agents are gone. */
const makeFleet = (admin: Kube, now: Date): Promise<void> =>
  inBatches(fleet, async (name) => {
    const labelled = { [labels.clusterName]: name }
    await admin.of(namespaces).create({ metadata: { name, labels: labelled } })
    const spec = { holderIdentity: leaseName, leaseDurationSeconds: 60, renewTime: microTime(now) }
    await admin.of(leases, name).create({ metadata: { name: leaseName, labels: labelled }, spec })
    await admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: true } })
    const list = [conditions.accepted, conditions.joined, conditions.available, conditions.clockSynced].map((type) => ({
      type,
      status: 'True',
      reason: 'Test',
      message: '',
      lastTransitionTime: rfc3339(now),
    }))
    const body = { status: { conditions: list } }
    await admin.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { subresource: 'status' })
  })

async function inBatches(names: readonly string[], act: (name: string) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < names.length; start += 20) await Promise.all(names.slice(start, start + 20).map(act))
}

/** What the agent of a cluster does: renews its lease. */
const renew = (admin: Kube, name: string, now: Date) =>
  admin.of(leases, name).patch(leaseName, { type: 'merge', body: { spec: { renewTime: microTime(now) } } })

/** What the agent of a cluster does: says that it is available. */
async function speak(admin: Kube, name: string): Promise<void> {
  const clusters = admin.of(ManagedCluster.resource)
  const list = (await clusters.get(name)).status?.conditions ?? []
  const next = list.map((told) => (told.type === conditions.available ? { ...told, status: 'True' } : told))
  await clusters.patch(name, { type: 'merge', body: { status: { conditions: next } } }, { subresource: 'status' })
}

/** Clusters of which the hub itself knows that they are so, taint included. */
const known = ({ deps }: HubScene, status: 'True' | 'Unknown'): string[] =>
  fleet.filter((name) => {
    const cluster = deps.view.clusters.get(name)
    const hasTaint = (cluster?.spec?.taints ?? []).some(({ key }) => key === taints.unreachable)
    const available = findCondition(cluster?.status?.conditions, conditions.available)
    return available?.status === status && hasTaint === (status === 'Unknown')
  })

test(
  'R88a: a hub that starts, or gets its API server back after an hour, tells of each dead cluster once, no faster than its limit',
  needsControlPlane,
  async (t) => {
    const { plane, clock, advance } = await timedPlane(t)
    const admin = kubeClient(t, plane.connection())
    await installFleetKinds(admin)
    await makeFleet(admin, clock.now())
    const proxy = await startFaultProxy(t, plane.url)
    const calls: Traffic = traffic(clock)
    const connection = { ...plane.connection(), server: proxy.url }
    const startedAt = clock.now().getTime()
    const hub = await hubScene(t, plane, {
      clock,
      hub: kubeClient(t, connection, { ...limit, retries: 2, onRequest: calls.onRequest }),
      parts: healthRuns,
    })
    const until = (what: string, holds: () => boolean, stepMs = 250) => advanceUntil(clock, what, holds, stepMs)
    const { view } = hub.deps
    await eventually('the hub has seen the fleet', () =>
      [view.clusters, view.leases, view.namespaces].every(({ size }) => size >= fleet.length),
    )

    // The start: whatever stands in the leases, nothing is due before a grace has passed, and then all of it at once.
    await advance(graceMs - 5_000)
    // A watch may tell of a write before its answer is in.
    const tainted = (since: number) => calls.since(since).filter(({ what }) => what === tainting).length
    const areIn = (since: number) => tainted(since) >= fleet.length
    await until('all are told', () => known(hub, 'Unknown').length === fleet.length && areIn(0))
    const told = calls.since(0).filter(({ what }) => what === telling)
    assert.equal(told.length, fleet.length)
    assert.ok(told.every(({ at }) => at >= startedAt + graceMs))
    assert.equal(tainted(0), fleet.length)
    calls.assertWithin(limit)

    // The agents come back.
    const back = calls.count
    await inBatches(fleet, async (name) => {
      await renew(admin, name, clock.now())
      await speak(admin, name)
    })
    await until('their taints are gone', () => known(hub, 'True').length === fleet.length && areIn(back))
    assert.deepEqual(
      calls
        .since(back)
        .map(({ what }) => what)
        .filter((what) => what === telling),
      [],
    )
    assert.equal(tainted(back), fleet.length)

    // Then everyone loses the API server, and a few clusters stay silent for good.
    const dead = fleet.slice(0, 5)
    const alive = fleet.slice(5)
    const lost = calls.count
    proxy.refuse()
    proxy.resetAll()
    const isProbeLost = () =>
      calls.since(lost).filter(({ what, code }) => what === 'GET /readyz' && code === 0).length >= 3
    await until('the hub knows that it hears nothing', isProbeLost)
    await advance('1h', 60)
    proxy.heal()
    const healedAt = clock.now().getTime()
    const healed = calls.count
    await until('it hears again', () =>
      calls.since(healed).some(({ what, code }) => what === 'GET /readyz' && code > 0),
    )
    await inBatches(alive, (name) => renew(admin, name, clock.now()))
    await until('half a grace is over', () => clock.now().getTime() > healedAt + graceMs / 2, 5_000)
    await inBatches(alive, (name) => renew(admin, name, clock.now()))
    const lately = () => calls.since(lost).filter(({ what }) => what === telling)
    const areTold = () => known(hub, 'Unknown').length >= dead.length && lately().length >= dead.length
    await until('those that stay silent are told', areTold, 1_000)
    assert.deepEqual(known(hub, 'Unknown'), dead)
    const late = lately()
    assert.equal(late.length, dead.length)
    assert.ok(late.every(({ at }) => at >= healedAt + graceMs))
    calls.assertWithin(limit)
  },
)
