/** What an agent tells the hub of its cluster. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { conditions } from '../../../src/fleet/names.ts'
import { KubeFailure } from '../../../src/kube/failures.ts'
import { events, namespaces, nodes } from '../../../src/kube/kinds.ts'
import type { Kube, KubeRequest } from '../../../src/kube/kube.ts'
import { managedNamespaceLabel } from '../../../src/registration/agent/member/managed-namespaces.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MemberScene } from '../../support/member-scene.ts'
import { memberScene } from '../../support/member-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the status that an agent writes', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: MemberScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await memberScene(suite, timed.plane, timed.clock)
  })
  /** As the agent waits a little for more to come before it tells what has changed. */
  const told = () => timed.advance('500ms', 1)
  const statusOf = async (cluster: string) => (await scene.hub.cluster(cluster)).status
  const versionOf = async (cluster: string) => (await scene.hub.cluster(cluster)).metadata.resourceVersion

  test('R42: a spoke API server that fails is unavailable after 20 seconds, not before, and available when it answers again', async (t) => {
    const { admin } = scene.hub
    let fails = false
    let probes = 0
    const spoke = answeringAtOnce(admin, () => {
      probes += 1
      if (!fails) return
      const body = { code: 500, message: '[-]etcd failed: reason withheld' }
      throw new KubeFailure(body, { method: 'GET', path: '/livez' })
    })
    /** To the very moment, or a tenth of a second past it: what has gone by since the last look is not known. */
    const nextProbe = async () => {
      const [before, { clock }] = [probes, timed]
      for (let waitedMs = 0; probes === before && waitedMs <= 60_000; waitedMs += 100) await clock.advance(100)
      assert.equal(probes, before + 1)
    }
    const probesAgain = async (times: number) => {
      for (let time = 1; time <= times; time += 1) {
        const before = probes
        await timed.advance('5s', 1)
        assert.equal(probes, before + 1, 'every 5 seconds while it fails')
      }
    }
    await scene.join(t, 'shaky', {}, { spoke })
    const atFirst = await scene.availability('shaky', 'True')
    assert.deepEqual([atFirst.reason, atFirst.message], ['ManagedClusterAvailable', 'Managed cluster is available'])

    fails = true
    await nextProbe()
    await probesAgain(3)
    assert.equal((await scene.condition('shaky', conditions.available))?.status, 'True', '15 seconds change nothing')
    fails = false
    await probesAgain(1)

    fails = true
    await nextProbe()
    await probesAgain(3)
    await timed.advance('3s', 1)
    assert.deepEqual(
      await scene.condition('shaky', conditions.available),
      atFirst,
      'neither do 18, and the short failure before has left no trace',
    )
    await timed.advance('2s', 1)
    const failing = await scene.availability('shaky', 'False')
    assert.equal(failing.reason, 'ManagedClusterKubeAPIServerUnavailable')
    assert.match(failing.message, /500 .*etcd failed/)

    fails = false
    await timed.advance('5s', 1)
    const again = await scene.availability('shaky', 'True')
    assert.equal(again.reason, 'ManagedClusterAvailable')
    await eventually('people are told of all three', async () => {
      const { items } = await admin.of(events, 'shaky').list()
      const reasons = items.filter(({ source }) => source?.component === 'lanyard-agent').map(({ reason }) => reason)
      return reasons.includes('Available') && reasons.includes('Unavailable')
    })
  })

  test('R45: capacity is the sum over all nodes, allocatable skips those that take no pods, and the version is told', async (t) => {
    const { admin } = scene.hub
    const aNode = async (name: string, amounts: Record<string, string>, spec: Node['spec'] = {}) => {
      await admin.of(nodes).create({ metadata: { name }, spec })
      const body = { status: { capacity: amounts, allocatable: { ...amounts, cpu: '1500m' } } }
      await admin.of(nodes).patch(name, { type: 'merge', body }, { subresource: 'status' })
    }
    await aNode('n1', { cpu: '4', memory: '16374468Ki', pods: '110' })
    await aNode('n2', { cpu: '3500m', memory: '1Gi', 'nvidia.com/gpu': '2' })
    await aNode('n3', { cpu: '2', memory: '512Mi' }, { unschedulable: true })
    await scene.join(t, 'sized')
    const shows = (what: string, capacity: Record<string, string>, allocatable: Record<string, string>) =>
      eventually(what, async () => {
        await told()
        const status = await statusOf('sized')
        assert.deepEqual([status?.capacity, status?.allocatable], [capacity, allocatable])
        return true
      })
    await shows(
      'the sums are told',
      { cpu: '9500m', memory: '17947332Ki', 'nvidia.com/gpu': '2', pods: '110' },
      { cpu: '3', memory: '17423044Ki', 'nvidia.com/gpu': '2', pods: '110' },
    )
    const { gitVersion } = await admin.request<{ gitVersion: string }>({ path: '/version' })
    assert.equal((await statusOf('sized'))?.version?.kubernetes, gitVersion)

    const foreign = { status: { capacity: { sockets: '2' } } }
    await admin.of(ManagedCluster.resource).patch('sized', { type: 'merge', body: foreign }, { subresource: 'status' })
    await admin.of(nodes).patch('n3', { type: 'merge', body: { spec: { unschedulable: null } } })
    await admin.of(nodes).delete('n2')
    await shows(
      'they follow the nodes, and what others have added stays',
      { cpu: '6', memory: '16898756Ki', pods: '110', sockets: '2' },
      { cpu: '3', memory: '16898756Ki', pods: '110' },
    )
    for (const name of ['n1', 'n3']) await admin.of(nodes).delete(name)
  })

  test('one write tells the hub everything, and nothing more is written while nothing changes', async (t) => {
    await scene.accept('quiet')
    const seen: (string[] | undefined)[] = []
    using _ = scene.hub.deps.view.clusters.on(({ object }) => {
      const types = object.status?.conditions?.map(({ type }) => type)
      if (object.metadata.name === 'quiet' && types?.includes(conditions.joined)) seen.push(types)
    })
    const member = await scene.start(t, 'quiet', { spoke: answeringAtOnce(scene.hub.admin) })
    await eventually('the hub sees it', async () => {
      await timed.clock.advance(20)
      return seen[0]
    })
    assert.ok(seen[0]?.includes(conditions.available), 'joined and available come together')
    assert.equal(
      (await statusOf('quiet'))?.conditions?.find(({ type }) => type === conditions.joined)?.message,
      'Managed cluster joined',
    )
    await eventually('the hub has no more to say', async () => {
      await timed.advance('5s', 1)
      const { spec, status } = await scene.hub.cluster('quiet')
      const isTold = (type: string) => isTrue(status?.conditions, type)
      return isTold(conditions.available) && isTold(conditions.clockSynced) && (spec?.taints ?? []).length === 0
    })
    const count = member.renewedAt.length
    const before = await versionOf('quiet')
    await timed.advance('75s', 2)
    await eventually('the agent is alive', () => member.renewedAt.length > count)
    assert.equal(await versionOf('quiet'), before)
  })

  test('an agent that is not accepted writes nothing, and everything once it is', async (t) => {
    const { admin } = scene.hub
    await scene.accept('denied')
    const setAccepted = (hubAcceptsClient: boolean) =>
      admin.of(ManagedCluster.resource).patch('denied', { type: 'merge', body: { spec: { hubAcceptsClient } } })
    await setAccepted(false)
    await eventually(
      'it is denied',
      async () => (await scene.condition('denied', conditions.accepted))?.status === 'False',
    )
    const member = await scene.start(t, 'denied')
    await timed.advance('3s')
    assert.equal(await scene.condition('denied', conditions.joined), undefined)
    assert.equal(member.renewedAt.length, 0)
    await setAccepted(true)
    await eventually('it joins', async () => {
      await timed.advance('500ms', 1)
      return await scene.condition('denied', conditions.joined)
    })
    await scene.availability('denied', 'True')
  })

  test('namespaces that sets want are made on the cluster, and only unmarked when they are not wanted', async (t) => {
    const { admin } = scene.hub
    const label = managedNamespaceLabel(timed.plane.url)
    const want = (managedNamespaces: { name: string; clusterSet: string }[]) =>
      admin
        .of(ManagedCluster.resource)
        .patch('homely', { type: 'merge', body: { status: { managedNamespaces } } }, { subresource: 'status' })
    const markOf = async (name: string) => (await admin.of(namespaces).find(name))?.metadata.labels?.[label]
    await scene.join(t, 'homely')
    await want([
      { name: 'payments', clusterSet: 'one' },
      { name: 'search', clusterSet: 'one' },
    ])
    await eventually(
      'both are there',
      async () => (await markOf('payments')) === 'true' && (await markOf('search')) === 'true',
    )
    await eventually('both are told', async () =>
      (await statusOf('homely'))?.managedNamespaces?.every(
        ({ conditions: list }) => list?.[0]?.reason === 'NamespaceApplied',
      ),
    )
    await want([{ name: 'search', clusterSet: 'one' }])
    await eventually('one is released', async () => (await markOf('payments')) === 'false')
    assert.equal(await markOf('search'), 'true')
  })
})

/** A look at its health is over when the clock has settled, however slow the machine is. */
const answeringAtOnce = (kube: Kube, live: () => void = () => {}): Kube => ({
  of: (resource, namespace) => kube.of(resource, namespace),
  request: async <R>(request: KubeRequest) => {
    if (request.path === '/version') return { gitVersion: 'v1.36.3' } as R
    if (request.path !== '/livez') return kube.request<R>(request)
    return live() as R
  },
})
