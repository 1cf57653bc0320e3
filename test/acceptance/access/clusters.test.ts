/** Clusters that leave take their sessions with them, and whom a cluster belongs to decides what is forbidden there. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { clusterRelease } from '../../../src/access/hub/cluster-finalizer.ts'
import { clusterFinalizer } from '../../../src/access/names.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { runTogether } from '../../../src/core/lifecycle.ts'
import { silentLog } from '../../../src/core/log.ts'
import { noMetrics } from '../../../src/core/metrics.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { spokeView } from '../../../src/fleet/spoke/index.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('clusters and their sessions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })
  type Story = Awaited<ReturnType<BreakglassScene['story']>>
  const configs = (namespace = scene.namespace) => scene.admin.of(ClusterConfig.resource, namespace)
  const approved = async ({ dev, lead, cluster, group }: Story): Promise<string> => {
    const { status, body } = await dev.request(cluster, group)
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal((await lead.act(body.metadata.name, 'approve')).status, 200)
    return body.metadata.name
  }
  const finalizersOf = async (name: string) => (await configs().get(name)).metadata.finalizers ?? []
  const isGone = (name: string) => eventually(`${name} is gone`, async () => (await configs().find(name)) === undefined)

  test('A38: a cluster goes when its sessions have ended, and each of them says why', async () => {
    const story = await scene.story()
    const name = await approved(story)
    const waiting = await scene.person('other@example.com', { groups: ['devs'] }).request(story.cluster, story.group)
    assert.equal(waiting.status, 201)
    assert.ok((await finalizersOf(story.cluster)).includes(clusterFinalizer))

    // While nobody ends them, it stays.
    await scene.stop()
    await configs().delete(story.cluster)
    assert.ok((await configs().get(story.cluster)).metadata.deletionTimestamp)
    await scene.start()
    await isGone(story.cluster)
    for (const one of [name, waiting.body.metadata.name]) {
      const { status } = await scene.session(one)
      assert.deepEqual([status?.state, status?.reasonEnded], ['Expired', 'clusterDeleted'])
      assert.ok(status?.retainedUntil)
      const reasons = status?.conditions?.filter(({ type }) => type === 'Expired').map(({ reason }) => reason)
      assert.deepEqual(reasons, ['ExpiredByClusterDeletion'])
    }
  })

  test('A38a: without sessions there is nothing to wait for', async () => {
    const story = await scene.story()
    const name = await approved(story)
    assert.equal((await story.dev.act(name, 'drop')).status, 200)
    await scene.reaches(name, 'Expired')
    await eventually('the finalizer is taken off', async () => {
      await timed.clock.advance('10s')
      return !(await finalizersOf(story.cluster)).includes(clusterFinalizer)
    })
    await scene.stop()
    await configs().delete(story.cluster)
    assert.equal(await configs().find(story.cluster), undefined)
    await scene.start()
  })

  test('A38b: sessions of a cluster that went unseen end too', async () => {
    const story = await scene.story()
    const name = await approved(story)
    await scene.stop()
    await configs().patch(story.cluster, { type: 'merge', body: { metadata: { finalizers: null } } })
    await configs().delete(story.cluster)
    await scene.start()
    const { status } = await scene.reaches(name, 'Expired')
    assert.equal(status?.reasonEnded, 'clusterDeleted')
  })

  test('A38c: of two with one name, one may go without ending what the other has', async () => {
    const story = await scene.story()
    const name = await approved(story)
    const grants = async () => (await scene.ask(story.cluster, 'dev@example.com')).body.status?.allowed === true
    await eventually('it grants', grants)
    const elsewhere = uniqueName('elsewhere')
    await scene.admin.of(namespaces).create(aNamespace(elsewhere))
    const { spec } = await configs().get(story.cluster)
    await configs(elsewhere).create({ metadata: { name: story.cluster, finalizers: [clusterFinalizer] }, spec })
    await eventually('it fails closed', async () => {
      const { status, body } = await scene.ask(story.cluster, 'dev@example.com')
      return status !== 200 || body.status?.allowed !== true
    })
    const why = await story.dev.get(`/api/explain?cluster=${story.cluster}&verb=get&resource=secrets`)
    assert.deepEqual([why.status, why.body.code, why.body.reason], [403, 'FORBIDDEN', 'ACCESS_CLUSTER_NOT_UNIQUE'])
    await configs(elsewhere).delete(story.cluster)
    await eventually('it is gone', async () => (await configs(elsewhere).find(story.cluster)) === undefined)
    assert.equal((await scene.session(name)).status?.state, 'Approved')
    await eventually('it grants again', grants)
  })

  test('A38d: a hub on which access was switched off holds no cluster back, and leaves finalizers of others', async () => {
    const story = await scene.story()
    await approved(story)
    const others = 'example.com/mine'
    const finalizers = [...(await finalizersOf(story.cluster)), others]
    await configs().patch(story.cluster, { type: 'merge', body: { metadata: { finalizers } } })
    await scene.stop()
    const deps = { kube: scene.admin, clock: systemClock, random: systemRandom, log: silentLog, metrics: noMetrics }
    const view = spokeView(scene.admin, deps)
    const stop = new AbortController()
    const running = runTogether(stop.signal, [view.run, clusterRelease({ ...deps, spokeView: view }).run])
    try {
      await eventually('it is seen', async () => view.configs.byIndex('name', story.cluster).length === 1)
      assert.ok((await finalizersOf(story.cluster)).includes(clusterFinalizer), 'only of what goes')
      await configs().delete(story.cluster)
      await eventually('it is let go', async () => !(await finalizersOf(story.cluster)).includes(clusterFinalizer))
      assert.deepEqual(await finalizersOf(story.cluster), [others])
      await configs().patch(story.cluster, { type: 'merge', body: { metadata: { finalizers: null } } })
      await isGone(story.cluster)
    } finally {
      stop.abort()
      await running
      await scene.start()
    }
  })

  test('A71: a policy for a tenant follows what is written, else what the pattern reads from the id', async () => {
    const [red, blue] = [uniqueName('red').replaceAll('-', ''), uniqueName('blue').replaceAll('-', '')]
    await scene.policy({
      appliesTo: { tenants: [red] },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }],
    })
    const isDenied = async (cluster: string) => {
      const { status, body } = await scene.ask(cluster, 'somebody@example.com')
      assert.equal(status, 200)
      return body.status.denied === true
    }
    const [written, read, other, named] = [
      await scene.cluster({ tenant: red, clusterID: `${blue}-1` }),
      await scene.cluster({ clusterID: `${red}-1` }),
      await scene.cluster({ clusterID: `${blue}-1` }),
      await scene.cluster({}, { name: `${red}-by-name` }),
    ]
    await eventually('what is written counts', () => isDenied(written))
    assert.deepEqual(await Promise.all([read, other, named].map(isDenied)), [false, false, false])
    scene.settings.tenantPattern = '(?<tenant>[a-z0-9]+)-.*'
    try {
      await eventually('the pattern counts', () => isDenied(read))
      assert.deepEqual(await Promise.all([written, other, named].map(isDenied)), [true, false, true])
    } finally {
      delete (scene.settings as { tenantPattern?: string }).tenantPattern
    }
    await eventually('and is forgotten', async () => !(await isDenied(read)))
  })

  test('a session by hand on a cluster that there is not ends', async () => {
    const spec = { cluster: uniqueName('nowhere'), user: 'a@b.c', grantedGroup: 'g' }
    const { metadata } = await scene.admin
      .of(BreakglassSession.resource, scene.namespace)
      .create({ metadata: { name: uniqueName('by-hand') }, spec })
    const { status } = await scene.reaches(metadata.name, 'Expired')
    assert.equal(status?.reasonEnded, 'clusterDeleted')
  })
})
