/** An agent with several hubs to choose from. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { events } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import { reasons } from '../../../src/registration/reasons.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import {
  agentScene,
  allowBootstrap,
  bootstrapKubeconfig,
  csrsOf,
  decide,
  joinHub,
  letIn,
  pendingCsr,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { FaultProxy } from '../../support/fault-proxy.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('an agent with two hubs', needsControlPlane, () => {
  const suite = suiteScope()
  let planes: [ControlPlane, ControlPlane]
  let first: HubScene
  let second: HubScene
  before(async () => {
    planes = [await startControlPlane(suite, {}), await startControlPlane(suite, {})]
    first = await joinHub(suite, planes[0])
    second = await joinHub(suite, planes[1])
    await allowBootstrap(second.admin)
  })

  /** An agent that has joined the first of two hubs, or asks it, under a name it made up. */
  async function onFirst(
    t: TestScope,
    { isLetIn = true } = {},
  ): Promise<{ scene: AgentScene; way: FaultProxy; clock: FakeClock }> {
    const way = await startFaultProxy(t, planes[0].url)
    const bootstrap = withHub(await bootstrapKubeconfig(planes[0]), { server: way.url })
    const clock = new FakeClock(new Date())
    const scene = await agentScene(t, planes[0], { cluster: null, bootstrap, clock })
    await scene.stop()
    const secondPath = join(scene.dir, 'second.kubeconfig')
    writeFileSync(secondPath, await bootstrapKubeconfig(planes[1]))
    scene.start({ bootstrapKubeconfigs: [scene.bootstrapPath, secondPath] })
    restart = () => scene.start({ bootstrapKubeconfigs: [scene.bootstrapPath, secondPath] })
    scene.cluster = await eventually('it has a name', () => scene.agent.state().cluster)
    if (isLetIn) await withTime(clock, () => letIn(scene))
    return { scene, way, clock }
  }
  let restart: () => unknown

  /** Lets time pass while something is under way, no faster than hubs answer: one that is busy is not silent. */
  async function withTime<T>(clock: FakeClock, action: () => Promise<T>): Promise<T> {
    let isOver = false
    const passing = (async () => {
      while (!isOver) {
        await clock.advance(500)
        await Promise.all([first, second].map(({ admin }) => admin.of(ManagedCluster.resource).find('nobody')))
      }
    })()
    try {
      return await action()
    } finally {
      isOver = true
      await passing
    }
  }

  const isOnSecond = (scene: AgentScene) =>
    eventually('it has joined the second', async () => {
      const found = await second.admin.of(ManagedCluster.resource).find(scene.cluster)
      const text = (await scene.secret())?.kubeconfig ?? ''
      const server = parseKubeconfig(text, { name: 'it' }).clusters[0]?.value.server
      return (
        server === planes[1].url &&
        scene.agent.state().phase === 'joined' &&
        found?.status?.conditions?.some(({ type, status }) => type === 'ManagedClusterJoined' && status === 'True')
      )
    })

  async function joinsSecond(scene: AgentScene): Promise<void> {
    const [csr] = await eventually('it asks the second', () => csrsOf(second.admin, scene.cluster), {
      until: (found) => found.length > 0,
    })
    await eventually('its cluster is there', () => second.admin.of(ManagedCluster.resource).find(scene.cluster))
    await decide(second.admin, csr?.metadata.name ?? '', 'Approved')
    await setAccepted(second.admin, scene.cluster)
    await isOnSecond(scene)
  }

  test('R28: denied by its hub, or without an answer from it for too long, it joins the other under the same name', async (t) => {
    const denied = await onFirst(t)
    const before = (await denied.scene.secret()) ?? {}
    await setAccepted(denied.scene.admin, denied.scene.cluster, false)
    await withTime(denied.clock, () => joinsSecond(denied.scene))
    const after = (await denied.scene.secret()) ?? {}
    assert.deepEqual([after['cluster-name'], after['agent-name']], [before['cluster-name'], before['agent-name']])
    await eventually('an event tells people', async () =>
      (await denied.scene.home.of(events, denied.scene.namespace).list()).items.some(
        ({ reason }) => reason === reasons.SwitchedHub,
      ),
    )
    await denied.scene.stop()

    const silent = await onFirst(t)
    silent.way.refuse()
    silent.way.resetAll()
    await silent.clock.advance('500s')
    assert.equal((await csrsOf(second.admin, silent.scene.cluster)).length, 0)
    await silent.clock.advance('100s')
    await withTime(silent.clock, () => joinsSecond(silent.scene))
  })

  test('a clock that is set back does not hide that a hub is silent', async (t) => {
    const { scene, way, clock } = await onFirst(t)
    way.refuse()
    way.resetAll()
    await clock.jumpTo(new Date(clock.now().getTime() - 25 * 60_000))
    assert.equal(scene.agent.state().phase, 'joined')
    // The silence is counted anew at the first look after that, at the latest when it would have been too long.
    await clock.advance('1200s')
    await eventually('it looks for another', () => scene.agent.state().phase, { until: (phase) => phase !== 'joined' })
    await withTime(clock, () => joinsSecond(scene))
  })

  test('a hub that takes its time is not silent: the agent stays where it asked, also over a restart', async (t) => {
    const { scene, clock } = await onFirst(t, { isLetIn: false })
    const clusters = second.admin.of(ManagedCluster.resource)
    await pendingCsr(scene)
    const isWaiting = async () => {
      const { hub, trouble } = scene.agent.state()
      assert.equal(trouble?.reason, 'AwaitingApproval')
      assert.match(trouble?.message ?? '', new RegExp(`lanyard accept ${scene.cluster}$`))
      assert.notEqual(hub, planes[1].url)
      return true
    }
    await eventually('it waits', isWaiting)
    // Well past the limit for silence; each look at the hub comes back before time goes on.
    for (let step = 0; step < 30; step += 1) {
      await clock.advance('30s')
      await scene.csrs()
    }
    await eventually('it still waits', isWaiting)
    assert.equal((await csrsOf(second.admin, scene.cluster)).length, 0)

    await clusters.create({ metadata: { name: scene.cluster }, spec: { hubAcceptsClient: false } })
    await scene.stop()
    restart()
    await withTime(clock, () => eventually('it waits where it asked', isWaiting))
    // The other one accepts first.
    await setAccepted(second.admin, scene.cluster)
    await withTime(clock, () => joinsSecond(scene))
  })

  test('R29: a restart is no reason to leave a hub that is still good; one kubeconfig is no choice, and refused', async (t) => {
    const { scene, clock } = await onFirst(t)
    await setAccepted(scene.admin, scene.cluster, false)
    await withTime(clock, () => joinsSecond(scene))
    await setAccepted(scene.admin, scene.cluster)
    await scene.stop()
    restart()
    await withTime(clock, () => isOnSecond(scene))
    assert.equal((await csrsOf(second.admin, scene.cluster)).length, 1)
    assert.equal(scene.agent.state().hub, planes[1].url)

    const { code, err } = await lanyard(t, [
      ...['agent', '--feature-gates', 'MultipleHubs=true', '--bootstrap-kubeconfigs', scene.bootstrapPath],
      ...['--kubeconfig', planes[0].adminKubeconfigPath],
    ]).ended
    assert.equal(code, 1)
    assert.match(err, /needs at least two bootstrap kubeconfigs.*AGENT_ONE_HUB/)
  })
})
