import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Step } from '../../../src/core/step.ts'
import {
  addonNamespace,
  addonSecretsConfigMap,
  agentSecrets,
  annotations,
  finalizers,
} from '../../../src/fleet/names.ts'
import { isConflict } from '../../../src/kube/failures.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  namespaces,
  roleBindings,
  roles,
  secrets,
} from '../../../src/kube/kinds.ts'
import type { Collection } from '../../../src/kube/kube.ts'
import { agentManifests, agentRole } from '../../../src/registration/manifests/agent.ts'
import { removeAgent } from '../../../src/registration/operations/remove-agent.ts'
import { takeOffHub } from '../../../src/registration/operations/take-off.ts'
import { leaveHub } from '../../../src/registration/operations/unjoin.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, joinHub, letIn } from '../../support/agent-scene.ts'
import { aSecret } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { ManifestWork } from '../../support/fleet-kinds.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { presentRights } from '../../support/membership-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { serveWebhooks } from '../../support/webhook-scene.ts'

describe('unjoin', needsControlPlane, () => {
  const scope = suiteScope()
  let plane: ControlPlane
  let hub: HubScene
  before(async () => {
    plane = await startControlPlane(scope, {})
    await serveWebhooks(scope, plane)
    hub = await joinHub(scope, plane)
  })

  const deps = () => ({ kube: hub.admin, clock: systemClock, signal: new AbortController().signal })
  const all = (steps: AsyncIterable<Step>) => Array.fromAsync(steps)
  async function member(t: TestScope): Promise<AgentScene> {
    const scene = await agentScene(t, plane)
    await letIn(scene)
    return scene
  }
  /** A Secret of an add-on, and the record of the agent that it made it. */
  async function heldByAddon(namespace: string): Promise<void> {
    const secret = { namespace: addonNamespace, name: 'hello-hub-kubeconfig' }
    const hello = {
      hub: 'h',
      cluster: 'c',
      addon: 'hello',
      ...secret,
      type: 'kubeClient',
      signer: 's',
      driver: 'token',
    }
    await hub.admin.of(secrets, addonNamespace).create(aSecret(secret.name, { token: 't' }))
    const data = { secrets: JSON.stringify([hello]) }
    await hub.admin.of(configMaps, namespace).create({ metadata: { name: addonSecretsConfigMap }, data })
  }
  const isGone = async (name: string) => (await hub.admin.of(ManagedCluster.resource).find(name)) === undefined

  test('the command takes a cluster off the hub first and removes its agent last, and repeats well', async (t) => {
    const scene = await member(t)
    const elsewhere = await freshNamespace(t, hub.admin)
    const installation = {
      namespace: scene.namespace,
      image: 'none',
      addonNamespaces: [addonNamespace, elsewhere],
    }
    for (const { resource, object } of agentManifests(installation))
      await hub.admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
    await heldByAddon(scene.namespace)
    const unjoin = () =>
      lanyard(t, [
        ...['unjoin', scene.cluster, '--agent-namespace', scene.namespace, '--timeout', '60'],
        ...['--kubeconfig', plane.adminKubeconfigPath, '--managed-kubeconfig', plane.adminKubeconfigPath],
      ]).ended
    // The agent here is no pod, so nobody stops it when its Deployment goes.
    const stopped = eventually('it is gone from the hub', () => isGone(scene.cluster), { withinMs: 50_000 }).then(
      scene.stop,
    )
    const { code, out, err } = await unjoin()
    await stopped
    assert.equal(code, 0, `${out}${err}`)
    assert.match(
      out,
      /is gone from the hub[\s\S]*the agent is stopped[\s\S]*credentials of add-ons are removed[\s\S]*keys and its name are removed[\s\S]*rights are removed[\s\S]*namespace is removed/,
    )
    assert.equal(await isGone(scene.cluster), true)
    assert.deepEqual(await presentRights(hub.admin, scene.cluster), ['namespace'])
    assert.equal(await hub.admin.of(clusterRoles).find(agentRole(scene.namespace)), undefined)
    for (const kind of [roles, roleBindings])
      assert.equal(await hub.admin.of(kind as typeof roles, elsewhere).find(agentRole(scene.namespace)), undefined)
    for (const namespace of [scene.namespace, addonNamespace])
      assert.equal(await hub.admin.of(namespaces).find(namespace), undefined)
    const again = await unjoin()
    assert.equal(again.code, 0, `${again.out}${again.err}`)
  })

  test('a cluster takes itself off with its own identity, which the hub records', async (t) => {
    const scene = await member(t)
    const connect = (connection: Parameters<typeof kubeClient>[1]) => kubeClient(t, connection)
    await all(takeOffHub(scene.namespace, { ...deps(), connect }))
    await scene.stop()
    const { metadata, spec } = await hub.cluster(scene.cluster)
    assert.equal(spec?.hubAcceptsClient, false)
    assert.ok(metadata.annotations?.[annotations.unjoinedAt], 'the hub knows that it left by itself')
    await eventually('its rights are taken', async () => (await presentRights(hub.admin, scene.cluster)).length === 3)
    await all(removeAgent(scene.namespace, deps()))
    assert.equal(await hub.admin.of(secrets, scene.namespace).find(agentSecrets.hubKubeconfig), undefined)
  })

  test('F7: its agent takes the acceptance back by PATCH as by PUT, with the rights that acceptance gave it', async (t) => {
    // A report of the agent itself may come between the reading and the writing.
    const byPut = (clusters: Collection<ManagedCluster>, name: string) =>
      eventually('the hub takes it', async () => {
        const read = await clusters.get(name)
        const sent = { ...read, spec: { ...read.spec, hubAcceptsClient: false } }
        return await clusters.update(sent).catch((error: unknown) => {
          if (isConflict(error)) return undefined
          throw error
        })
      })
    const byPatch = (clusters: Collection<ManagedCluster>, name: string) =>
      clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: false } } })
    for (const takeBack of [byPut, byPatch]) {
      const scene = await member(t)
      const agent = await agentsClient(t, plane, scene.home, scene.namespace)
      await takeBack(agent.of(ManagedCluster.resource), scene.cluster)
      const { metadata, spec } = await hub.cluster(scene.cluster)
      assert.equal(spec?.hubAcceptsClient, false)
      assert.ok(metadata.annotations?.[annotations.unjoinedAt], 'the hub knows that it left by itself')
    }
  })

  const install = async (namespace: string) => {
    for (const { resource, object } of agentManifests({ namespace, image: 'none' }))
      await hub.admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
  }
  const said = async (namespace: string) => JSON.stringify(await all(removeAgent(namespace, deps())))

  test('a namespace that lanyard did not make, or that somebody else uses, stays with what others have in it', async (t) => {
    const notOurs = await freshNamespace(t, hub.admin)
    await install(notOurs)
    const labels = { 'app.kubernetes.io/managed-by': null }
    await hub.admin.of(namespaces).patch(notOurs, { type: 'merge', body: { metadata: { labels } } })
    assert.match(await said(notOurs), /its namespace is left.*was not made by lanyard/)
    assert.ok(await hub.admin.of(namespaces).find(notOurs))

    const shared = await freshNamespace(t, hub.admin)
    await install(shared)
    await hub.admin.of(secrets, shared).create(aSecret('of-somebody', { key: 'value' }))
    assert.match(await said(shared), /its namespace is left.*holds Secret of-somebody/)
    assert.ok(await hub.admin.of(secrets, shared).find('of-somebody'))
    assert.equal(await hub.admin.of(deployments, shared).find('lanyard-agent'), undefined)

    await hub.admin.of(secrets, shared).delete('of-somebody')
    assert.match(await said(shared), /its namespace is removed/)
    assert.equal(await hub.admin.of(namespaces).find(shared), undefined)
  })

  test('the agent of another hub keeps its rights on the cluster', async (t) => {
    const [one, other] = [await freshNamespace(t, hub.admin), await freshNamespace(t, hub.admin)]
    await install(one)
    await install(other)
    await said(one)
    const binding = (await hub.admin.of(clusterRoleBindings).list()).items.find(({ subjects }) =>
      subjects?.some(({ namespace }) => namespace === other),
    )
    assert.ok(await hub.admin.of(clusterRoles).find(binding?.roleRef.name ?? ''))
    const gone = (await hub.admin.of(clusterRoles).list()).items.filter(
      ({ metadata }) => metadata.name === agentRole(one),
    )
    assert.deepEqual(gone, [])
  })

  test('what does not go is named', async (t) => {
    const namespace = await freshNamespace(t, hub.admin)
    const held = { ...aSecret(agentSecrets.bootstrap, { kubeconfig: 'x' }) }
    const finalizers = ['example.com/held']
    await hub.admin.of(secrets, namespace).create({ ...held, metadata: { ...held.metadata, finalizers } })
    await assert.rejects(all(removeAgent(namespace, deps(), { timeoutMs: 1 })), {
      code: 'AGENT_REMOVAL_STUCK',
      message: new RegExp(`Secret ${namespace}/${agentSecrets.bootstrap} \\(example.com/held`),
    })
    const body = { metadata: { finalizers: null } }
    await hub.admin.of(secrets, namespace).patch(agentSecrets.bootstrap, { type: 'merge', body })
  })

  test('without an identity on the hub it says what to do instead', async (t) => {
    const scene = await agentScene(t, plane)
    const connect = (connection: Parameters<typeof kubeClient>[1]) => kubeClient(t, connection)
    await assert.rejects(all(takeOffHub(scene.namespace, { ...deps(), connect })), {
      code: 'UNJOIN_NO_IDENTITY',
      message: /give the hub with --kubeconfig/,
    })
  })

  test('a dead cluster whose works nobody finishes leaves only by force', async (t) => {
    const scene = await member(t)
    await scene.stop()
    const work = { metadata: { name: 'held', finalizers: [finalizers.manifestWorkCleanup] }, spec: {} }
    await hub.admin.of(ManifestWork.resource, scene.cluster).create(work)
    await assert.rejects(all(leaveHub(scene.cluster, { force: false, timeoutMs: 1 }, deps())), {
      code: 'UNJOIN_STUCK',
      message: /--force/,
    })
    const steps = await all(leaveHub(scene.cluster, { force: true, timeoutMs: 60_000 }, deps()))
    assert.match(JSON.stringify(steps), /ManifestWork held is let go/)
    assert.equal(await isGone(scene.cluster), true)
  })
})
