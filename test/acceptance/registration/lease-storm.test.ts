/** A hub that comes back to a fleet which fell due meanwhile. The limit of its client is its own, and on the fake clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../src/core/clock.ts'
import { findCondition, rfc3339 } from '../../../src/core/conditions.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { conditions, labels, leaseName } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { connect } from '../../../src/kube/client/index.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { microTime } from '../../../src/kube/lease-record.ts'
import { healthRuns } from '../../../src/registration/hub/health/index.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { hubScene, installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const fleet = Array.from({ length: 200 }, (_, index) => `cluster-${index}`)
const [qps, burst] = [30, 30]
const graceSeconds = 300

interface Answered {
  at: number
  /** As `PATCH managedclusters…/status`. */
  what: string
}

function limitedClient(
  t: TestScope,
  plane: ControlPlane,
  server: string,
  clock: Clock,
  answered: Answered[],
): KubeClient {
  const client = connect(
    { ...plane.connection(), server },
    {
      clock,
      random: systemRandom,
      options: {
        qps,
        burst,
        onRequest: ({ method, target, watch }) =>
          watch || answered.push({ at: clock.now().getTime(), what: `${method} ${target}` }),
      },
    },
  )
  teardown(t, () => client.close())
  return client
}

/** A fleet that has joined, and whose agents are gone. */
async function makeFleet(admin: Kube, now: Date): Promise<void> {
  const condition = (type: string) => ({
    type,
    status: 'True' as const,
    reason: 'Test',
    message: '',
    lastTransitionTime: rfc3339(now),
  })
  const make = async (name: string) => {
    const labelled = { [labels.clusterName]: name }
    await admin.of(namespaces).create({ metadata: { name, labels: labelled } })
    const spec = { holderIdentity: leaseName, leaseDurationSeconds: 60, renewTime: microTime(now) }
    await admin.of(leases, name).create({ metadata: { name: leaseName, labels: labelled }, spec })
    await admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: true } })
    const list = [conditions.accepted, conditions.joined, conditions.available, conditions.clockSynced].map(condition)
    const body = { status: { conditions: list } }
    await admin.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { subresource: 'status' })
  }
  await inBatches(fleet, make)
}

async function inBatches(names: readonly string[], act: (name: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < names.length; start += 20) await Promise.all(names.slice(start, start + 20).map(act))
}

const available = (hub: HubScene, name: string) =>
  findCondition(hub.deps.view.clusters.get(name)?.status?.conditions, conditions.available)?.status
const countUnknown = (hub: HubScene) => fleet.filter((name) => available(hub, name) === 'Unknown').length

test(
  'R88a: a hub that starts or gets its API server back tells of each dead cluster once, no faster than its limit',
  needsControlPlane,
  async (t) => {
    const { plane, clock } = await timedPlane(t)
    const admin = kubeClient(t, plane.connection())
    await installFleetKinds(admin)
    await makeFleet(admin, clock.now())
    const proxy = await startFaultProxy(t, plane.url)
    const answered: Answered[] = []
    const hub = await hubScene(t, plane, {
      clock,
      hub: limitedClient(t, plane, proxy.url, clock, answered),
      parts: healthRuns,
    })
    await eventually('the hub has seen the fleet', () => {
      const { view } = hub.deps
      return [view.clusters, view.leases, view.namespaces].every(({ size }) => size >= fleet.length)
    })
    const startedAt = clock.now()
    const counted = (what: string, from: number) =>
      answered.slice(from).filter((call) => call.what === `${what}.cluster.open-cluster-management.io/status`).length
    const assertBounded = (from: number) => {
      const since = answered[from]?.at ?? 0
      for (const [index, { at }] of answered.slice(from).entries())
        assert.ok(index < burst + (qps * (at - since)) / 1_000 + 5, `${index} requests after ${at - since} ms`)
    }
    /** Moves on, and lets what that sets off on the network come to its end. */
    const pass = async (time: string | number) => {
      await clock.advance(time)
      for (let seen = -1; seen !== answered.length; ) {
        seen = answered.length
        await delay(25)
      }
    }
    /** Moves on in steps until it holds. They are shorter than the deadline of any call. */
    const until = async (what: string, holds: () => boolean, seconds: number, step = 5) => {
      for (let second = 0; second < seconds && !holds(); second += step) await pass(step * 1_000)
      await eventually(what, holds)
    }

    // The start: whatever stands in the leases, nothing is due before a grace has passed, and then all of it at once.
    const isAlmostDue = () => clock.now().getTime() - startedAt.getTime() >= (graceSeconds - 5) * 1_000
    await until('the grace is almost over', isAlmostDue, graceSeconds)
    assert.equal(counted('PATCH managedclusters', 0), 0)
    const due = answered.length
    await until('all are told', () => countUnknown(hub) === fleet.length, 120, 1)
    assert.equal(counted('PATCH managedclusters', due), fleet.length)
    assertBounded(due)

    // The agents come back, all but a few, and then the hub loses its API server for an hour, as everyone does.
    const dead = fleet.slice(0, 5)
    const alive = fleet.slice(5)
    const speak = async (name: string) => {
      const body = { spec: { renewTime: microTime(clock.now()) } }
      await admin.of(leases, name).patch(leaseName, { type: 'merge', body })
    }
    await inBatches(fleet, async (name) => {
      const list = (await admin.of(ManagedCluster.resource).get(name)).status?.conditions ?? []
      const next = list.map((told) => (told.type === conditions.available ? { ...told, status: 'True' } : told))
      const body = { status: { conditions: next } }
      await admin.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { subresource: 'status' })
    })
    await eventually('the hub hears them', () => fleet.every((name) => available(hub, name) === 'True'))
    const lost = answered.length
    proxy.refuse()
    proxy.resetAll()
    // Minute by minute at both ends; in between nothing but more of the same would happen.
    for (const minute of [0, 1, 2, 57, 58, 59]) {
      if (minute === 57) await clock.jumpTo(new Date(clock.now().getTime() + 54 * 60_000))
      await pass('1m')
    }
    proxy.heal()
    const healedAt = clock.now().getTime()
    const back = answered.length
    await until(
      'the API server answers again',
      () => answered.slice(back).some(({ what }) => what === 'GET /readyz'),
      60,
    )
    await inBatches(alive, speak)
    await until('half a grace is over', () => clock.now().getTime() - healedAt > graceSeconds * 500, graceSeconds)
    await inBatches(alive, speak)
    await until(
      'those that stay silent are told',
      () => dead.every((name) => available(hub, name) === 'Unknown'),
      graceSeconds + 120,
    )
    assert.ok(clock.now().getTime() - healedAt >= graceSeconds * 1_000, 'not before a grace has passed since')
    assert.deepEqual(
      fleet.filter((name) => available(hub, name) === 'Unknown'),
      dead,
    )
    assert.equal(counted('PATCH managedclusters', lost), dead.length)
    assertBounded(back)
  },
)
