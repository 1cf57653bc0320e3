/** A Klusterlet that is deleted takes its agent along, and the hub knows. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Klusterlet } from '../../../src/apis/operator/klusterlet.ts'
import {
  addonNamespace,
  addonSecretsConfigMap,
  agentSecrets,
  annotations,
  clusterNameConfigMap,
} from '../../../src/fleet/names.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  events,
  leases,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '../../../src/kube/kinds.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import { operatorManifests } from '../../../src/operator/manifests/operator.ts'
import { conditions } from '../../../src/operator/names.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, bootstrapKubeconfig, joinHub, letIn, withHub } from '../../support/agent-scene.ts'
import { aConfigMap, aSecret } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import type { OperatorScene } from '../../support/operator-scene.ts'
import { operatorScene } from '../../support/operator-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { serveWebhooks } from '../../support/webhook-scene.ts'

const everyKind: Resource<KubeObject>[] = [
  deployments,
  secrets,
  configMaps,
  serviceAccounts,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  leases,
  namespaces,
  customResourceDefinitions,
]

describe('a Klusterlet that is deleted', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  let hubPlane: ControlPlane
  let plane: ControlPlane
  let hub: HubScene
  let scene: OperatorScene
  before(async () => {
    hubPlane = await startControlPlane(suite, {})
    plane = await startControlPlane(suite, {})
    await serveWebhooks(suite, hubPlane)
    hub = await joinHub(suite, hubPlane)
    scene = await operatorScene(suite, plane, { namespaces: 5, clock })
  })

  /** A Klusterlet whose agent has joined; the agent itself is no pod, so it runs here. */
  async function member(t: TestScope): Promise<{ name: string; namespace: string; agent: AgentScene }> {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await scene.reaches(metadata.name, conditions.applied, 'True')
    const kubeconfig = await bootstrapKubeconfig(hubPlane)
    await scene.admin.of(secrets, namespace).create(aSecret(agentSecrets.bootstrap, { kubeconfig }))
    const agent = await agentScene(t, hubPlane, { home: plane, settings: { namespace } })
    await letIn(agent)
    return { name: metadata.name, namespace, agent }
  }
  const isGone = async (name: string) => (await scene.find(name)) === undefined
  const deleted = async (name: string) => {
    await scene.admin.of(Klusterlet.resource).delete(name)
    await eventually('the Klusterlet is gone', () => isGone(name))
  }
  /** Everything in a namespace that is there besides what a cluster puts into every one. */
  async function leftIn(namespace: string): Promise<string[]> {
    const kinds = everyKind.filter(({ namespaced }) => namespaced)
    const lists = kinds.map(async (kind) =>
      (await scene.admin.of(kind, namespace).list()).items.map(({ metadata }) => `${kind.kind} ${metadata.name}`),
    )
    const usual = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default']
    const ofOperator = /:lanyard-operator$/
    return (await Promise.all(lists)).flat().filter((what) => !usual.includes(what) && !ofOperator.test(what))
  }

  test('a hub that does not answer is tried for five minutes, also by another process, and then left unknowing', async (t) => {
    const { name, namespace, agent } = await member(t)
    await agent.stop()
    const kept = await scene.admin.of(secrets, namespace).get(agentSecrets.hubKubeconfig)
    const kubeconfig = Buffer.from(kept.data?.['kubeconfig'] ?? '', 'base64').toString()
    const astray = Buffer.from(withHub(kubeconfig, { server: 'https://127.0.0.1:1' })).toString('base64')
    const body = { data: { kubeconfig: astray } }
    await scene.admin.of(secrets, namespace).patch(agentSecrets.hubKubeconfig, { type: 'merge', body })
    await scene.admin.of(Klusterlet.resource).delete(name)
    const trying = await scene.reaches(name, conditions.hubLeft, 'False', 'LeavingHub')
    assert.match(trying.message, /then the agent is removed all the same/)
    assert.ok(await scene.agentIn(namespace), 'the agent runs on as long as the hub may be told')
    await scene.stop()
    scene.start()
    await clock.advance(300_000)
    await eventually('the Klusterlet is gone', async () => {
      await clock.advance(1_000)
      return await isGone(name)
    })
    assert.deepEqual(await leftIn(namespace), [])
    assert.equal((await hub.cluster(agent.cluster)).spec?.hubAcceptsClient, true)
    await eventually('an event says that the hub does not know', async () =>
      (await scene.admin.of(events, 'default').list()).items.some(
        ({ reason, involvedObject, type }) =>
          reason === 'HubNotTold' && involvedObject.name === name && type === 'Warning',
      ),
    )
    await hub.admin.of(ManagedCluster.resource).delete(agent.cluster)
  })

  test('a cluster that never joined has nobody to tell, and one that was refused has nothing to remove', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await scene.reaches(metadata.name, conditions.applied, 'True')
    const hosted = await scene.klusterlet({ deployOption: { mode: 'Hosted' } })
    await scene.reaches(hosted.metadata.name, conditions.applied, 'False')
    await deleted(metadata.name)
    await deleted(hosted.metadata.name)
    assert.deepEqual(await leftIn(namespace), [])
  })

  test('a Secret of an add-on where the operator has no rights holds nothing up, and an event names it', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await scene.reaches(metadata.name, conditions.applied, 'True')
    const entry = { hub: 'h', cluster: 'west', addon: 'hello', namespace: 'elsewhere', name: 'hello-hub-kubeconfig' }
    const record = JSON.stringify([{ ...entry, type: 'kubeClient', signer: 's', driver: 'token' }])
    await scene.admin.of(configMaps, namespace).create(aConfigMap(addonSecretsConfigMap, { secrets: record }))
    await deleted(metadata.name)
    assert.deepEqual(await leftIn(namespace), [])
    await eventually('an event names it', async () =>
      (await scene.admin.of(events, 'default').list()).items.some(
        ({ reason, involvedObject, message = '' }) =>
          reason === 'AddonSecretLeft' &&
          involvedObject.name === metadata.name &&
          message.includes('elsewhere/hello-hub-kubeconfig'),
      ),
    )
  })

  test('what is held up is named until it goes', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await scene.reaches(metadata.name, conditions.applied, 'True')
    const bootstrap = aSecret(agentSecrets.bootstrap, { kubeconfig: 'x' })
    const held = { ...bootstrap, metadata: { ...bootstrap.metadata, finalizers: ['example.com/held'] } }
    await scene.admin.of(secrets, namespace).create(held)
    await scene.admin.of(Klusterlet.resource).delete(metadata.name)
    await eventually('it says so', async () => {
      await clock.advance(5_000)
      const { status } = (await scene.find(metadata.name)) ?? {}
      return status?.conditions?.some(
        ({ type, message }) => type === conditions.deleting && message.includes('example.com/held'),
      )
    })
    const body = { metadata: { finalizers: null } }
    await scene.admin.of(secrets, namespace).patch(agentSecrets.bootstrap, { type: 'merge', body })
    await eventually('the Klusterlet is gone', async () => {
      await clock.advance(1_000)
      return await isGone(metadata.name)
    })
  })

  test('R86: agent, secrets and rights leave in order, the hub is told, the finalizer goes last, and after the operator nothing is left', async (t) => {
    const { name, namespace, agent } = await member(t)
    const { admin } = scene
    // As the agent would have kept them.
    await admin.of(secrets, addonNamespace).create(aSecret('hello-hub-kubeconfig', { token: 'x' }))
    await admin.of(secrets, addonNamespace).create(aSecret('of-somebody-else', { key: 'value' }))
    const entry = { hub: 'h', cluster: agent.cluster, addon: 'hello', namespace: addonNamespace }
    const record = [{ ...entry, name: 'hello-hub-kubeconfig', type: 'kubeClient', signer: 's', driver: 'token' }]
    const kept = aConfigMap(addonSecretsConfigMap, { secrets: JSON.stringify(record) })
    await admin.of(configMaps, namespace).create(kept)
    assert.ok(await admin.of(configMaps, namespace).find(clusterNameConfigMap), 'the agent keeps its name')
    await agent.stop()
    scene.writes.splice(0)

    await deleted(name)
    const told = await hub.cluster(agent.cluster)
    assert.equal(told.spec?.hubAcceptsClient, false)
    assert.ok(told.metadata.annotations?.[annotations.unjoinedAt], 'the hub knows that it left by itself')
    assert.deepEqual(await leftIn(namespace), [])
    assert.deepEqual((await leftIn(addonNamespace)).sort(), ['Secret of-somebody-else'])
    const isLast = (write = '') => write.startsWith('PATCH klusterlets')
    // Others may see an object gone before the answer to whoever let it go is here.
    await eventually('the finalizer goes last', () => isLast(scene.writes.filter((one) => !/events/.test(one)).at(-1)))
    assert.deepEqual(
      scene.writes.filter((write) => /^PUT|^DELETE|klusterlets\.operator/.test(write) && !/status/.test(write)),
      [
        'PUT managedclusters.cluster.open-cluster-management.io',
        'DELETE deployments.apps',
        'DELETE secrets',
        'DELETE secrets',
        'DELETE configmaps',
        'DELETE rolebindings.rbac.authorization.k8s.io',
        'DELETE roles.rbac.authorization.k8s.io',
        'DELETE clusterrolebindings.rbac.authorization.k8s.io',
        'DELETE clusterroles.rbac.authorization.k8s.io',
        'DELETE rolebindings.rbac.authorization.k8s.io',
        'DELETE roles.rbac.authorization.k8s.io',
        'DELETE serviceaccounts',
        'DELETE secrets',
        'DELETE configmaps',
        'PATCH klusterlets.operator.open-cluster-management.io',
      ],
    )

    // The operator, as `kubectl delete -f` would.
    await scene.stop()
    const { installation } = scene
    assert.deepEqual((await admin.of(Klusterlet.resource).list()).items, [])
    for (const { resource, object } of operatorManifests(installation).toReversed())
      await admin.of(resource, object.metadata.namespace).delete(object.metadata.name)
    await eventually('nothing is left', async () => {
      const lists = everyKind.map(async (kind) =>
        (await admin.of(kind).list({ labelSelector: 'app.kubernetes.io/managed-by=lanyard' })).items.map(
          ({ metadata }) => `${kind.kind} ${metadata.name}`,
        ),
      )
      assert.deepEqual((await Promise.all(lists)).flat(), [])
      const { items } = await admin.of(namespaces).list()
      assert.deepEqual(
        items.map(({ metadata }) => metadata.name).filter((one) => one.startsWith('open-cluster-management')),
        [],
      )
      return true
    })
  })
})
