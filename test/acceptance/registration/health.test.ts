/** How the hub and the agents of clusters keep in touch. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { conditions, leaseName } from '../../../src/fleet/names.ts'
import { leases } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { Member, MemberScene } from '../../support/member-scene.ts'
import { memberScene } from '../../support/member-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const spec = { leaseDurationSeconds: 10 }
const graceMs = 50_000

describe('the health of a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: MemberScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await memberScene(suite, timed.plane, timed.clock)
  })
  const now = () => timed.clock.now().getTime()
  const renewTimeOf = async (cluster: string) =>
    new Date((await scene.hub.admin.of(leases, cluster).get(leaseName)).spec?.renewTime ?? 0).getTime()
  /** Moves time until the agent has renewed once, and waits until the hub has heard it. */
  const nextRenewal = async (member: Member): Promise<void> => {
    const { length, [length - 1]: before } = member.renewedAt
    // From the last one on, and no further: a renewal that is under way must not be late for the hub.
    await timed.clock.advance(Math.max(0, (before?.getTime() ?? now()) + 12_500 - now()))
    await eventually('it is renewed', () => member.renewedAt.length > length, { clock: 'stands' })
    const renewTime = await renewTimeOf(member.name)
    await eventually('the hub has heard it', () => {
      const seen = scene.hub.deps.view.heartbeats.receivedAt(member.name)
      return seen !== undefined && seen.getTime() >= renewTime
    })
  }

  test('R38: a joined agent renews every leaseDuration to 1.25 times that, and stays available through two graces', async (t) => {
    const member = await scene.join(t, 'steady', spec)
    const atFirst = await scene.availability('steady', 'True')
    const end = now() + 2 * graceMs
    while (now() < end) {
      const [before] = member.renewedAt.slice(-1)
      await nextRenewal(member)
      const pauseMs = (await renewTimeOf('steady')) - (before?.getTime() ?? 0)
      assert.ok(pauseMs >= 10_000 && pauseMs <= 12_500, `renewed after ${pauseMs} ms`)
    }
    assert.deepEqual(await scene.condition('steady', conditions.available), atFirst)
  })

  test('R39: an agent that stops is Unknown after one grace, and True within one grace once it is back', async (t) => {
    const member = await scene.join(t, 'lost', spec)
    await member.stop()
    const heardAt = scene.hub.deps.view.heartbeats.receivedAt('lost')?.getTime() ?? Number.NaN
    await timed.advance(heardAt + graceMs - 2_000 - now(), 5)
    assert.equal((await scene.condition('lost', conditions.available))?.status, 'True', 'not before')
    await timed.advance('15s', 15)
    const unknown = await scene.availability('lost', 'Unknown')
    assert.equal(unknown.reason, 'ManagedClusterLeaseUpdateStopped')
    const backAt = now()
    await scene.start(t, 'lost')
    await eventually('it is True again', async () => {
      await timed.clock.advance(20)
      return (await scene.condition('lost', conditions.available))?.status === 'True'
    })
    assert.ok(now() - backAt <= graceMs)
  })

  test('R41: a cluster that is deleted and made again, accepted, is available by the agent that still runs', async (t) => {
    const clusters = scene.hub.admin.of(ManagedCluster.resource)
    const member = await scene.join(t, 'reborn', spec)
    const { uid } = (await scene.hub.cluster('reborn')).metadata
    await clusters.delete('reborn')
    await eventually('it is gone', async () => {
      await timed.clock.advance(250)
      return (await clusters.find('reborn')) === undefined
    })
    await scene.accept('reborn', spec)
    const before = member.renewedAt.length
    await eventually('it is available again', async () => {
      await timed.clock.advance(100)
      return (await scene.condition('reborn', conditions.available))?.status === 'True'
    })
    assert.notEqual((await scene.hub.cluster('reborn')).metadata.uid, uid)
    await eventually('its lease is renewed again', async () => {
      await timed.clock.advance(100)
      return member.renewedAt.length > before
    })
    const renewed = await renewTimeOf('reborn')
    await nextRenewal(member)
    assert.ok((await renewTimeOf('reborn')) > renewed, 'and goes on')
  })
})
