/** From join to reach in one step: an agent hands its hub a way in, as long as both sides want it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Secret } from '../../../src/core/secret.ts'
import { handoverAccount, handoverSecret, spokeLabels } from '../../../src/fleet/spoke/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { events, namespaces, roleBindings, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { tokenIn } from '../../../src/reach/handover/kubeconfig.ts'
import { isAllowed } from '../../support/access-scene.ts'
import { allowed, discover, questions } from '../../support/access-sweep.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HandoverScene } from '../../support/handover-scene.ts'
import { handedClient, handoverHubScene, handoverScene } from '../../support/handover-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { whoAmI } from '../../support/who-am-i.ts'

describe('a way in that an agent hands over', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let admin: KubeClient
  const scene = (t: Parameters<typeof handoverScene>[0]) => handoverScene(t, timed.plane, { clock: timed.clock })

  before(async () => {
    timed = await timedPlane(suite)
    ;({ admin } = await handoverHubScene(suite, timed.plane, { clock: timed.clock }))
  })

  const tokenOf = async (from: HandoverScene): Promise<string> => {
    const handed = await from.handed()
    return handed ? (tokenIn(Secret.of(handed))?.reveal() ?? '') : ''
  }
  const isReached = async (cluster: HandoverScene) => {
    await cluster.invite()
    await cluster.reaches('Ready', 'True', 'KubeconfigValidated')
  }
  const notYetIfUnauthorized = (error: unknown) => {
    if (!isUnauthorized(error)) throw error
    return false
  }
  /** All that both halves make. */
  const left = async ({ cluster, namespace, home }: HandoverScene): Promise<string[]> => {
    const found = await Promise.all([
      admin.of(ClusterConfig.resource, cluster).find(cluster),
      admin.of(secrets, cluster).find(handoverSecret),
      admin.of(roles, cluster).find(handoverSecret),
      admin.of(roleBindings, cluster).find(handoverSecret),
      home.of(serviceAccounts, namespace).find(handoverAccount),
    ])
    return found.flatMap((one, index) => (one ? [['config', 'secret', 'role', 'binding', 'account'][index] ?? ''] : []))
  }
  const allIsGone = (cluster: HandoverScene) =>
    eventually('nothing is left', () => left(cluster), { until: (found) => found.length === 0 })

  test('joined, accepted and asked for, a cluster is reached; the hub may do there what it needs and nothing else', async (t) => {
    const west = await scene(t)
    assert.deepEqual(await left(west), [], 'until somebody asks, there is nothing')

    await west.invite()
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
    await west.reaches('PermissionsVerified', 'True')
    const config = await west.config()
    assert.equal(config?.metadata.labels?.[spokeLabels.cluster], west.cluster)

    const handed = await west.handed()
    assert.ok(handed && !/client-(certificate|key)|exec|tokenFile/.test(handed), 'only a token')
    const asHub = handedClient(t, timed.plane, await tokenOf(west))
    const { username, groups = [] } = await whoAmI(asHub)
    assert.equal(username, `system:serviceaccount:${west.namespace}:${handoverAccount}`)
    const served = await discover(admin)
    const asked = questions(served, () => ({}))
    const rights = await allowed(admin, { user: username ?? '', groups }, asked)
    const ofEverybody = await allowed(admin, { user: 'somebody', groups: ['system:authenticated'] }, asked)
    assert.deepEqual(
      rights.filter((right) => !ofEverybody.includes(right)),
      [
        'create subjectaccessreviews.authorization.k8s.io',
        'get namespaces',
        'get pods',
        'list namespaces',
        'watch namespaces',
      ],
    )
  })

  test('a token is replaced before it ends, and the way in never fails for it', async (t) => {
    const west = await scene(t)
    await isReached(west)
    const first = await tokenOf(west)
    await timed.advance('44m')
    assert.equal(await tokenOf(west), first, 'not before three quarters of its life')
    await timed.advance('4m')
    const second = await eventually('another token', () => tokenOf(west), { until: (token) => token !== first })
    const asHub = handedClient(t, timed.plane, second)
    await asHub.of(namespaces).list()
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
  })

  test('the agent of one cluster cannot read or write what another handed over, nor make or delete its own', async (t) => {
    const [west, east] = await Promise.all([scene(t), scene(t)])
    await Promise.all([isReached(west), isReached(east)])
    const asWest: Kube = await agentsClient(t, timed.plane, west.home, west.namespace)
    const patch = { type: 'merge', body: { data: {} } } as const
    const of = (cluster: string) => asWest.of(secrets, cluster)
    assert.equal(await isAllowed(of(west.cluster).get(handoverSecret)), true)
    assert.equal(await isAllowed(of(west.cluster).patch(handoverSecret, patch)), true)
    for (const call of [
      () => of(east.cluster).get(handoverSecret),
      () => of(east.cluster).patch(handoverSecret, patch),
      () => of(west.cluster).get('other'),
      () => of(west.cluster).list(),
      () => of(west.cluster).delete(handoverSecret),
      () => of(west.cluster).create({ metadata: { name: 'other' } }),
      () => asWest.of(ClusterConfig.resource, west.cluster).get(west.cluster),
    ])
      assert.equal(await isAllowed(call()), false)
  })

  test('what somebody damages or takes away is made again', async (t) => {
    const west = await scene(t)
    await isReached(west)
    const before = await tokenOf(west)
    // The account: every token of it ends with it.
    await west.home.of(serviceAccounts, west.namespace).delete(handoverAccount)
    const after = await eventually('a token of a new account', () => tokenOf(west), {
      until: (token) => token !== before,
    })
    const asHub = handedClient(t, timed.plane, after).of(namespaces)
    await eventually('it is taken, as soon as the cluster knows of the account and its rights', () =>
      isAllowed(asHub.list()).catch(notYetIfUnauthorized),
    )
    // What is in the Secret, and the rights to it.
    await admin.of(roles, west.cluster).patch(handoverSecret, { type: 'merge', body: { rules: [] } })
    await admin.of(roleBindings, west.cluster).delete(handoverSecret)
    await eventually('both are repaired', async () => {
      const [role, binding] = await Promise.all([
        admin.of(roles, west.cluster).find(handoverSecret),
        admin.of(roleBindings, west.cluster).find(handoverSecret),
      ])
      return binding !== undefined && role?.rules?.length === 1
    })
    const body = { data: { value: Buffer.from('nonsense').toString('base64') } }
    await admin.of(secrets, west.cluster).patch(handoverSecret, { type: 'merge', body })
    await eventually('it is handed over again', async () => (await tokenOf(west)) !== '')
    const uid = async () => (await west.config())?.metadata.uid
    const first = await uid()
    await admin.of(secrets, west.cluster).delete(handoverSecret)
    await eventually('and again', async () => (await tokenOf(west)) !== '')
    // It went with the Secret, and comes back once the hub has seen the new one.
    await eventually('it leads somewhere again', uid, { until: (found) => found !== undefined && found !== first })
    // Where the ClusterConfig leads; what people add to it stays.
    const elsewhere = { spec: { tenant: 'blue', kubeconfigSecretRef: { name: 'other', namespace: west.cluster } } }
    await admin.of(ClusterConfig.resource, west.cluster).patch(west.cluster, { type: 'merge', body: elsewhere })
    const repaired = await eventually('it leads to what was handed over', () => west.config(), {
      until: (config) => config?.spec.kubeconfigSecretRef?.name === handoverSecret,
    })
    assert.equal(repaired.spec.tenant, 'blue')
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
  })

  test('taken back by the hub, denied or deleted, nothing is left on either side and the token is void', async (t) => {
    for (const end of [
      (west: HandoverScene) => west.invite(false),
      async ({ cluster }: HandoverScene) => void (await setAccepted(admin, cluster, false)),
      async ({ cluster }: HandoverScene) => void (await admin.of(ManagedCluster.resource).delete(cluster)),
    ]) {
      const west = await scene(t)
      await isReached(west)
      const asHub = handedClient(t, timed.plane, await tokenOf(west))
      await end(west)
      await allIsGone(west)
      await eventually('its token is void', () =>
        asHub
          .of(namespaces)
          .list()
          .then(() => false, isUnauthorized),
      )
      await west.stop()
    }
  })

  test('an account that comes late, by a request that was under way when it was taken back, does not stay', async (t) => {
    const west = await scene(t)
    await isReached(west)
    const accounts = west.home.of(serviceAccounts, west.namespace)
    const { metadata } = await accounts.get(handoverAccount)
    await west.invite(false)
    await allIsGone(west)
    const { name, labels = {} } = metadata
    await accounts.create({ metadata: { name, labels } })
    await allIsGone(west)
    // One that is not the agent's stays.
    await accounts.create({ metadata: { name } })
    await west.restart(true)
    assert.deepEqual(await left(west), ['account'])
  })

  test('an agent that no longer offers it takes everything back when it starts; asked for, it is there again', async (t) => {
    const west = await scene(t)
    await isReached(west)
    await west.restart(false)
    await eventually('its half is gone', () => left(west), {
      until: (found) => !found.includes('account') && !found.includes('config'),
    })
    assert.equal(await west.handed(), '')
    await west.restart(true)
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
  })

  test('a ClusterConfig of that name that somebody else made is left alone, and people are told', async (t) => {
    const west = await scene(t)
    const namespace = uniqueName('theirs')
    await admin.of(namespaces).create(aNamespace(namespace))
    const spec = { kubeconfigSecretRef: { name: 'their-secret', namespace } }
    const theirs = await admin.of(ClusterConfig.resource, namespace).create({ metadata: { name: west.cluster }, spec })
    await eventually(
      'the hub knows of it',
      async () => (await admin.of(ClusterConfig.resource, namespace).get(west.cluster)).status?.conditions,
    )
    await west.invite()
    const told = await eventually('people are told', async () => {
      const { items } = await admin.of(events, 'default').list()
      return items.find(
        ({ involvedObject, reason }) => involvedObject.name === west.cluster && reason === 'HandoverRefused',
      )
    })
    assert.match(told.message ?? '', new RegExp(`ClusterConfig ${namespace}/${west.cluster} is there`))
    assert.deepEqual(await left(west), [])
    const now = await admin.of(ClusterConfig.resource, namespace).get(west.cluster)
    assert.deepEqual(
      [now.metadata.uid, now.spec, now.metadata.labels],
      [theirs.metadata.uid, theirs.spec, theirs.metadata.labels],
    )
    // Gone, its place is free.
    await admin.of(ClusterConfig.resource, namespace).delete(west.cluster)
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
  })

  test('a Secret of that name that somebody else made is neither shown to the agent nor changed', async (t) => {
    const west = await scene(t)
    const data = { value: Buffer.from('theirs').toString('base64') }
    await admin.of(secrets, west.cluster).create({ metadata: { name: handoverSecret }, data })
    await west.invite()
    await eventually('people are told', async () => {
      const { items } = await admin.of(events, 'default').list()
      return items.find(
        ({ involvedObject, reason }) => involvedObject.name === west.cluster && reason === 'HandoverRefused',
      )
    })
    assert.deepEqual(await left(west), ['secret'])
    assert.equal(await west.handed(), 'theirs')
    await admin.of(secrets, west.cluster).delete(handoverSecret)
    await timed.advance('10s')
    await west.reaches('Ready', 'True', 'KubeconfigValidated')
  })
})
