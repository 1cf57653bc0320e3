/** Taints follow the availability of a cluster. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { taints } from '../../../src/fleet/names.ts'
import { healthRuns } from '../../../src/registration/hub/health/index.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HealthScene } from '../../support/health-scene.ts'
import { healthScene } from '../../support/health-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const unreachable = { key: taints.unreachable, effect: 'NoSelect' } as const
const unavailable = { key: taints.unavailable, effect: 'NoSelect' } as const

describe('taints', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: HealthScene
  before(async () => {
    scene = await healthScene(suite, healthRuns)
  })
  const tainted = (name: string, expected: readonly unknown[]) =>
    eventually(`${name} has the taints`, async () => {
      assert.deepEqual((await scene.hub.cluster(name)).spec?.taints ?? [], expected)
      return true
    })

  test('R44: a cluster is tainted as it is available, unavailable or not heard, beside the taints of users', async () => {
    const { join, accept, say, advance } = scene
    const users = [
      { key: 'gpu', value: 'none', effect: 'NoSelect', timeAdded: '2024-01-01T00:00:00Z' },
      { key: taints.unreachable, value: 'by hand', effect: 'PreferNoSelect' },
      { key: 'edge', effect: 'NoSelectIfNew' },
    ] as const
    await accept('plain')
    await tainted('plain', [unreachable])

    await join('west', { leaseDurationSeconds: 10, taints: [...users] })
    await tainted('west', users)
    await say('west', 'False')
    await tainted('west', [...users, unavailable])
    await say('west', 'True')
    await tainted('west', users)
    await advance('50s', 2)
    await tainted('west', [...users, unreachable])
    await say('west', 'False')
    await tainted('west', [...users, unavailable])
  })

  test('a taint of the hub that somebody removes or adds by hand is put right', async () => {
    const { hub, join } = scene
    await join('east')
    await tainted('east', [])
    const set = (list: unknown[]) =>
      hub.admin.of(ManagedCluster.resource).patch('east', { type: 'merge', body: { spec: { taints: list } } })
    await set([unavailable, { key: 'mine', effect: 'NoSelect' }, unreachable])
    await tainted('east', [{ key: 'mine', effect: 'NoSelect' }])
  })

  test('a cluster that is being deleted keeps the taints it has', async () => {
    const { hub, join, say, accept } = scene
    const clusters = hub.admin.of(ManagedCluster.resource)
    await join('leaving')
    await tainted('leaving', [])
    await clusters.patch('leaving', { type: 'merge', body: { metadata: { finalizers: ['lanyard.io/test'] } } })
    await clusters.delete('leaving')
    await say('leaving', 'False')
    await accept('next')
    await tainted('next', [unreachable])
    await tainted('leaving', [])
    await clusters.patch('leaving', { type: 'merge', body: { metadata: { finalizers: null } } })
  })
})
