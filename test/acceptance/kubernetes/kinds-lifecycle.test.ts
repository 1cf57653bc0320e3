/** Every kind is one that objects can be made of, found, changed and taken away again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as kinds from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import {
  aClusterRole,
  aClusterRoleBinding,
  aConfigMap,
  aLease,
  aRole,
  aRoleBinding,
  aSecret,
  aServiceAccount,
  uniqueName,
} from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import {
  aDaemonSet,
  aDeployment,
  aHeadlessService,
  aMutatingConfiguration,
  aNewEvent,
  aNode,
  anEvent,
  aPod,
  aReplicaSet,
  aSigningRequest,
  aValidatingConfiguration,
  aWebhook,
  daemonSets,
  endpoints,
  newEvents,
  replicaSets,
  someEndpoints,
} from '../../support/kind-samples.ts'
import { kindScene, podScene } from '../../support/kind-scene.ts'
import { teardown } from '../../support/test-scope.ts'

type Make = (name: string, namespace: string) => KubeObject | Promise<KubeObject>

const everything: (readonly [Resource<KubeObject>, Make])[] = [
  [kinds.namespaces, (name) => ({ metadata: { name } })],
  [kinds.secrets, (name) => aSecret(name, { key: 'value' })],
  [kinds.configMaps, (name) => aConfigMap(name, { key: 'value' })],
  [kinds.serviceAccounts, (name) => aServiceAccount(name)],
  [kinds.events, anEvent],
  [newEvents, aNewEvent],
  [kinds.nodes, aNode],
  [kinds.pods, aPod],
  [kinds.services, aHeadlessService],
  [endpoints, someEndpoints],
  [kinds.deployments, (name) => aDeployment(name)],
  [daemonSets, aDaemonSet],
  [replicaSets, aReplicaSet],
  [kinds.roles, (name) => aRole(name)],
  [kinds.roleBindings, (name) => aRoleBinding(name)],
  [kinds.clusterRoles, (name) => aClusterRole(name)],
  [kinds.clusterRoleBindings, (name) => aClusterRoleBinding(name)],
  [kinds.certificateSigningRequests, (name) => aSigningRequest(name)],
  [kinds.leases, (name) => aLease(name, { holderIdentity: 'me' })],
  [kinds.validatingWebhookConfigurations, (name) => aValidatingConfiguration(name, aWebhook)],
  [kinds.mutatingWebhookConfigurations, (name) => aMutatingConfiguration(name, aWebhook)],
  [kinds.customResourceDefinitions, (name) => aDefinition(name)],
]

const aDefinition = (name: string): KubeObject & { spec: object } => {
  const plural = name.replaceAll('-', '')
  const schema = { openAPIV3Schema: { type: 'object' } }
  return {
    metadata: { name: `${plural}.tests.example.com` },
    spec: {
      group: 'tests.example.com',
      scope: 'Namespaced',
      names: { plural, kind: plural },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

describe('every built-in kind', needsControlPlane, () => {
  for (const [resource, make] of everything) {
    const told = `${resource.kind} of ${resource.group || 'core'}/${resource.version}`

    test(`E13: ${told} is created, read, listed, replaced, patched and deleted`, async (t) => {
      const { kube, namespace } = await (resource === kinds.pods ? podScene : kindScene)(t)
      await live(t, kube, resource, await make(uniqueName('sample'), namespace), namespace)
    })
  }
})

async function live(
  t: Parameters<typeof teardown>[0],
  kube: Kube,
  resource: Resource<KubeObject>,
  sample: KubeObject,
  namespace: string,
): Promise<void> {
  const collection = kube.of(resource, resource.namespaced ? namespace : undefined)
  const labels = { 'example.com/sample': namespace }
  const created = await collection.create({ ...sample, metadata: { ...sample.metadata, labels } })
  const { name, uid } = created.metadata
  teardown(t, async () => void (await collection.delete(name)))
  assert.equal(created.metadata.namespace, resource.namespaced ? namespace : undefined)
  assert.equal((await collection.get(name)).metadata.uid, uid)

  const selected = await collection.list({ labelSelector: `example.com/sample=${namespace}` })
  assert.deepEqual(
    selected.items.map(({ metadata }) => metadata.uid),
    [uid],
  )
  // Others may be writing too: a namespace's status, the conditions of a definition.
  const annotated = await eventually('it is replaced', async () => {
    const read = await collection.get(name)
    const annotations = { ...read.metadata.annotations, 'example.com/replaced': 'yes' }
    return await collection.update({ ...read, metadata: { ...read.metadata, annotations } }).catch(() => undefined)
  })
  assert.equal(annotated.metadata.annotations?.['example.com/replaced'], 'yes')
  assert.notEqual(annotated.metadata.resourceVersion, created.metadata.resourceVersion)
  const patch = { metadata: { annotations: { 'example.com/replaced': null, 'example.com/patched': 'yes' } } }
  const { metadata } = await collection.patch(name, { type: 'merge', body: patch })
  assert.equal(metadata.annotations?.['example.com/replaced'], undefined)
  assert.equal(metadata.annotations?.['example.com/patched'], 'yes')
  assert.equal(metadata.uid, uid)

  assert.equal(await collection.delete(name), true)
  await eventually('it is gone', async () => !(await collection.find(name)))
}
