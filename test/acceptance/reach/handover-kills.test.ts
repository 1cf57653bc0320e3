/** What is left of a hand-over when either half ends between two of its effects, and what the next start makes of it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import type { CheckpointName } from '../../../src/core/checkpoint.ts'
import { handoverAccount, handoverSecret } from '../../../src/fleet/spoke/names.ts'
import { roleBindings, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { isJoined } from '../../support/agent-scene.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HandoverScene } from '../../support/handover-scene.ts'
import { handoverHubScene, handoverScene } from '../../support/handover-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

/** Ends whoever passes this place, as a kill would: nothing it would do next happens. */
function deadAt() {
  let [at, isDead] = [undefined as CheckpointName | undefined, false]
  return {
    arm(place: CheckpointName) {
      at = place
      isDead = false
    },
    revive() {
      at = undefined
      isDead = false
    },
    isDead: () => isDead,
    checkpoint(passed: CheckpointName) {
      if (passed === at) isDead = true
      if (isDead) throw new Error(`killed at ${at}`)
    },
  }
}

describe('a hand-over that is cut off', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
  })

  const left = async ({ admin, home, cluster, namespace }: HandoverScene): Promise<number> => {
    const found = await Promise.all([
      admin.of(ClusterConfig.resource, cluster).find(cluster),
      admin.of(secrets, cluster).find(handoverSecret),
      admin.of(roles, cluster).find(handoverSecret),
      admin.of(roleBindings, cluster).find(handoverSecret),
      home.of(serviceAccounts, namespace).find(handoverAccount),
    ])
    return found.filter((one) => one !== undefined).length
  }
  const isReached = async (west: HandoverScene) => {
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
    await west.reaches('PermissionsVerified', 'True')
    assert.equal(await left(west), 5)
  }
  const isGone = (west: HandoverScene) => eventually('nothing is left', async () => (await left(west)) === 0)

  test('by the end of the agent, goes on where it was', async (t) => {
    await handoverHubScene(t, plane)
    const kill = deadAt()
    const west = await handoverScene(t, plane, { checkpoint: kill.checkpoint })
    const restart = async () => {
      await west.stop()
      kill.revive()
      west.start()
      await isJoined(west)
    }
    for (const place of ['handover.account-made', 'handover.token-received', 'handover.stored'] as const) {
      kill.arm(place)
      await west.invite()
      await eventually(`it ends at ${place}`, kill.isDead)
      await restart()
      await isReached(west)
      kill.arm('handover.account-removed')
      await west.invite(false)
      await eventually('it ends', kill.isDead)
      await restart()
      await isGone(west)
    }
  })

  test('by the end of the hub, goes on where it was', async (t) => {
    const kill = deadAt()
    let hub = await handoverHubScene(t, plane, { checkpoint: kill.checkpoint })
    const west = await handoverScene(t, plane)
    const restart = async () => {
      await hub.stop()
      kill.revive()
      hub = await handoverHubScene(t, plane, { checkpoint: kill.checkpoint })
    }
    const places = ['secret-made', 'role-made', 'binding-made', 'config-made'] as const
    for (const place of places) {
      kill.arm(`handover.${place}`)
      await west.invite()
      await eventually(`it ends at ${place}`, kill.isDead)
      await restart()
      await isReached(west)
      kill.arm('handover.part-removed')
      await west.invite(false)
      await eventually('it ends', kill.isDead)
      await restart()
      await isGone(west)
    }
  })
})
