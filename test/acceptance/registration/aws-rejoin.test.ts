/** An EKS cluster that was deleted on the hub, and whose agent still has what it joined with. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { awsMember } from '../../support/aws-agent-scene.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { inTime } from '../../support/aws-watch.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

describe('an agent with an AWS identity whose cluster was deleted', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: AwsScene
  before(async () => {
    scene = await awsScene(suite)
  })

  for (const agentIs of ['running', 'started-later'])
    test(`joins anew once its Secret is removed, and not before: ${agentIs}`, async (t) => {
      const clusters = scene.admin.of(ManagedCluster.resource)
      const spoke = await scene.spoke(agentIs)
      const clock = new FakeClock(new Date())
      const agent = await awsMember(t, scene, spoke, { clock })
      if (agentIs === 'started-later') await agent.stop()
      await clusters.delete(agent.cluster)
      await eventually('the cluster is gone', async () => !(await clusters.find(agent.cluster)), { withinMs: 60_000 })
      assert.equal(scene.hubSide.role(hubRoleOf(scene.hub, spoke).name), undefined)
      if (agentIs === 'started-later') agent.start()

      const says = () => agent.agent.state().trouble?.message ?? ''
      await inTime(clock, 'it knows', () => says().includes('was deleted on the hub'), 2_000)
      assert.ok(says().endsWith(`delete secret/${agent.namespace}/hub-kubeconfig-secret on the cluster`), says())
      await clock.advance('10m')
      assert.equal(await clusters.find(agent.cluster), undefined)

      await agent.home.of(secrets, agent.namespace).delete('hub-kubeconfig-secret')
      await inTime(clock, 'its cluster is there again', () => clusters.find(agent.cluster))
      assert.equal((await agent.secret())?.['kubeconfig'], undefined)
      await setAccepted(scene.admin, agent.cluster)
      await inTime(clock, 'it has joined', () => agent.agent.state().phase === 'joined')
      assert.ok((await agent.secret())?.['kubeconfig'])
      const { groups } = await whoAmI(scene.clientOf(t, spoke))
      assert.ok(groups.includes(`open-cluster-management:${agent.cluster}`))
    })
})
