/** The lease of a cluster as its agent keeps it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { leaseName } from '../../../src/fleet/names.ts'
import { leases } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { Member, MemberScene } from '../../support/member-scene.ts'
import { memberScene } from '../../support/member-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the lease as the agent keeps it', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: MemberScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await memberScene(suite, timed.plane, timed.clock)
  })
  const renewTimeOf = async (cluster: string) =>
    new Date((await scene.hub.admin.of(leases, cluster).get(leaseName)).spec?.renewTime ?? 0)
  const renewals = (member: Member, count: number) =>
    eventually(`${count} renewals`, () => member.renewedAt.length, { until: (so) => so >= count })

  test('R38b: the lease is renewed every leaseDuration to 1.25 times that, drawn anew each time', async (t) => {
    const member = await scene.join(t, 'steady', { leaseDurationSeconds: 10 })
    const pauses: number[] = []
    for (let round = 1; round <= 8; round += 1) {
      const { length } = member.renewedAt
      const before = member.renewedAt[length - 1]?.getTime() ?? 0
      // From the last one on: a whole 12.5 seconds a round would run ahead, until two are due in one.
      await timed.clock.advance(before + 12_500 - timed.clock.now().getTime())
      await renewals(member, length + 1)
      pauses.push((await renewTimeOf('steady')).getTime() - before)
    }
    for (const pause of pauses) assert.ok(pause >= 10_000 && pause <= 12_500, `${pause} ms`)
    assert.ok(new Set(pauses).size > 1)
  })

  test('another duration counts at once', async (t) => {
    const member = await scene.join(t, 'hasty', { leaseDurationSeconds: 3_600 })
    const before = member.renewedAt.length
    const body = { spec: { leaseDurationSeconds: 5 } }
    await scene.hub.admin.of(ManagedCluster.resource).patch('hasty', { type: 'merge', body })
    await renewals(member, before + 1)
    await timed.clock.advance('6250ms')
    await renewals(member, before + 2)
  })

  test('R41b: an agent whose cluster is deleted stops renewing, and resumes when it is made again and accepted', async (t) => {
    const clusters = scene.hub.admin.of(ManagedCluster.resource)
    const member = await scene.join(t, 'again', { leaseDurationSeconds: 10 })
    await clusters.delete('again')
    await eventually('it is gone', async () => (await clusters.find('again')) === undefined)
    await scene.accept('again', { leaseDurationSeconds: 10 })
    const before = member.renewedAt.length
    for (let step = 0; step < 30 && member.renewedAt.length === before; step += 1) await timed.advance('500ms', 1)
    await renewals(member, before + 1)
    await scene.availability('again', 'True')
  })
})
