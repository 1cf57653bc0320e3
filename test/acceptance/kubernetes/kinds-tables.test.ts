/** What `kubectl get` shows of each kind: the columns of its table, and the cells of a known object. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PodStatus } from 'kubernetes-types/core/v1.d.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  events,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  pods,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import {
  aClusterRole,
  aClusterRoleBinding,
  aGroup,
  aLease,
  aRole,
  aRoleBinding,
  aServiceAccount,
  aUser,
  uniqueName,
} from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import {
  aDaemonSet,
  aDeployment,
  aHeadlessService,
  aMutatingConfiguration,
  aNewEvent,
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
} from '../../support/kind-samples.ts'
import { base64, cellsOf, clusterWide, kindScene, podScene } from '../../support/kind-scene.ts'

describe('the table of every kind', needsControlPlane, () => {
  test('E13: the table of namespaces', async (t) => {
    const { kube, namespace } = await kindScene(t)
    assert.deepEqual(await cellsOf(kube, namespaces, { name: namespace }), {
      Name: namespace,
      Status: 'Active',
      Age: 'AGE',
    })
  })

  test('E13: the table of secrets', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(secrets, namespace).create({ metadata: { name: 'keys' }, data: { a: '', b: '' } })
    assert.deepEqual(await cellsOf(kube, secrets, { namespace, name: 'keys' }), {
      Name: 'keys',
      Type: 'Opaque',
      Data: 2,
      Age: 'AGE',
    })
  })

  test('E13: the table of config maps', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube
      .of(configMaps, namespace)
      .create({ metadata: { name: 'map' }, data: { a: '' }, binaryData: { b: base64('b') } })
    assert.deepEqual(await cellsOf(kube, configMaps, { namespace, name: 'map' }), { Name: 'map', Data: 2, Age: 'AGE' })
  })

  test('E13: the table of service accounts', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(serviceAccounts, namespace).create(aServiceAccount('robot'))
    assert.deepEqual(await cellsOf(kube, serviceAccounts, { namespace, name: 'robot' }), { Name: 'robot', Age: 'AGE' })
  })

  test('E13: the table of events of core/v1', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const now = new Date().toISOString().replace(/\.\d+/, '')
    await kube.of(events, namespace).create(
      anEvent('told', namespace, {
        involvedObject: { kind: 'Pod', namespace, name: 'web', fieldPath: 'spec.containers{main}' },
        type: 'Warning',
        reason: 'Tested',
        message: ' well \n',
        source: { component: 'tester', host: 'here' },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 4,
      }),
    )
    assert.deepEqual(await cellsOf(kube, events, { namespace, name: 'told' }), {
      'Last Seen': 'AGE',
      Type: 'Warning',
      Reason: 'Tested',
      Object: 'pod/web',
      Subobject: 'spec.containers{main}',
      Source: 'tester, here',
      Message: 'well',
      'First Seen': 'AGE',
      Count: 4,
      Name: 'told',
    })
  })

  test('E13: the table of events of events.k8s.io/v1', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const now = new Date().toISOString().replace('Z', '000Z')
    const series = { count: 5, lastObservedTime: now }
    await kube
      .of(newEvents, namespace)
      .create(aNewEvent('told', namespace, { eventTime: now, series, regarding: { kind: 'Pod', namespace } }))
    assert.deepEqual(await cellsOf(kube, newEvents, { namespace, name: 'told' }), {
      'Last Seen': 'AGE',
      Type: 'Normal',
      Reason: 'Tested',
      Object: 'pod',
      Subobject: '',
      Source: 'example.com/tester, tester-1',
      Message: '',
      'First Seen': 'AGE',
      Count: 5,
      Name: 'told',
    })
    await kube.of(events, namespace).create({ metadata: { name: 'bare' }, involvedObject: { namespace } })
    const bare = await cellsOf(kube, newEvents, { namespace, name: 'bare' })
    assert.deepEqual([bare['Last Seen'], bare['First Seen'], bare['Count']], ['<unknown>', '<unknown>', 1])
  })

  test('E13: the table of nodes', async (t) => {
    const { kube } = await kindScene(t)
    const name = uniqueName('node')
    await clusterWide(t, kube.of(nodes), {
      metadata: { name, labels: { 'node-role.kubernetes.io/edge': '', 'kubernetes.io/role': 'box' } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.1.1.1' }],
        nodeInfo: { kubeletVersion: 'v1.36.3', kernelVersion: '6.1', architecture: 'amd64' } as never,
      },
    })
    assert.deepEqual(await cellsOf(kube, nodes, { name }), {
      Name: name,
      Status: 'Ready,SchedulingDisabled',
      Roles: 'box,edge',
      Age: 'AGE',
      Version: 'v1.36.3',
      'Internal-IP': '10.1.1.1',
      'External-IP': '<none>',
      'OS-Image': '<unknown>',
      'Kernel-Version': '6.1 (amd64)',
      'Container-Runtime': '<unknown>',
    })
    const plain = uniqueName('node')
    await clusterWide(t, kube.of(nodes), { metadata: { name: plain } })
    const cells = await cellsOf(kube, nodes, { name: plain })
    assert.deepEqual([cells['Status'], cells['Roles'], cells['Version']], ['Unknown', '<none>', ''])
  })

  test('E13: the table of pods', async (t) => {
    const { kube, namespace } = await podScene(t)
    await kube.of(pods, namespace).create(aPod('web'))
    assert.deepEqual(await cellsOf(kube, pods, { namespace, name: 'web' }), {
      Name: 'web',
      Ready: '0/1',
      Status: 'Pending',
      Restarts: '0',
      Age: 'AGE',
      IP: '<none>',
      Node: '<none>',
      'Nominated Node': '<none>',
      'Readiness Gates': '<none>',
    })
  })

  const main = { name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0 }
  const readings: Record<string, [PodStatus, Record<string, string>]> = {
    'is running': [
      { phase: 'Running', podIP: '10.1.1.1', containerStatuses: [{ ...main, state: { running: {} } }] },
      { Ready: '1/1', Status: 'Running', IP: '10.1.1.1' },
    ],
    'cannot pull': [
      {
        phase: 'Pending',
        containerStatuses: [{ ...main, ready: false, state: { waiting: { reason: 'ErrImagePull' } } }],
      },
      { Ready: '0/1', Status: 'ErrImagePull' },
    ],
    'has failed': [
      {
        phase: 'Failed',
        containerStatuses: [{ ...main, ready: false, restartCount: 2, state: { terminated: { exitCode: 3 } } }],
      },
      { Ready: '0/1', Status: 'ExitCode:3', Restarts: '2' },
    ],
    'was evicted': [
      { phase: 'Failed', reason: 'Evicted' },
      { Ready: '0/1', Status: 'Evicted' },
    ],
    'is being prepared': [
      { phase: 'Pending', initContainerStatuses: [{ ...main, name: 'first', ready: false, state: { running: {} } }] },
      { Ready: '0/1', Status: 'Init:0/0' },
    ],
  }
  for (const [what, [status, expected]] of Object.entries(readings)) {
    test(`E13: the table of pods, of one that ${what}`, async (t) => {
      const { kube, namespace } = await podScene(t)
      await kube.of(pods, namespace).create(aPod('web'))
      await kube.of(pods, namespace).patch('web', { type: 'merge', body: { status } }, { subresource: 'status' })
      const cells = await cellsOf(kube, pods, { namespace, name: 'web' })
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((column) => [column, cells[column]])), expected)
    })
  }

  test('E13: the table of services', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(services, namespace).create(aHeadlessService('web'))
    await kube
      .of(services, namespace)
      .create({ metadata: { name: 'out' }, spec: { type: 'ExternalName', externalName: 'example.com' } })
    assert.deepEqual(await cellsOf(kube, services, { namespace, name: 'web' }), {
      Name: 'web',
      Type: 'ClusterIP',
      'Cluster-IP': 'None',
      'External-IP': '<none>',
      'Port(s)': '80/TCP',
      Age: 'AGE',
      Selector: 'app=sample',
    })
    assert.deepEqual(await cellsOf(kube, services, { namespace, name: 'out' }), {
      Name: 'out',
      Type: 'ExternalName',
      'Cluster-IP': '<none>',
      'External-IP': 'example.com',
      'Port(s)': '<none>',
      Age: 'AGE',
      Selector: '<none>',
    })
  })

  test('E13: the table of endpoints', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const addresses = ['10.1.1.1', '10.1.1.2'].map((ip) => ({ ip }))
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ]
    await kube.of(endpoints, namespace).create({ metadata: { name: 'web' }, subsets: [{ addresses, ports }] })
    await kube.of(endpoints, namespace).create({ metadata: { name: 'none' } })
    assert.deepEqual(await cellsOf(kube, endpoints, { namespace, name: 'web' }), {
      Name: 'web',
      Endpoints: '10.1.1.1:80,10.1.1.2:80,10.1.1.1:81 + 1 more...',
      Age: 'AGE',
    })
    assert.equal((await cellsOf(kube, endpoints, { namespace, name: 'none' }))['Endpoints'], '<none>')
  })

  const containers = { Containers: 'main', Images: 'example.com/app:1', Selector: 'app=sample' }

  test('E13: the table of deployments', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(deployments, namespace).create(aDeployment('web'))
    const cells = await cellsOf(kube, deployments, { namespace, name: 'web' })
    assert.deepEqual(cells, { Name: 'web', Ready: '0/0', 'Up-to-date': 0, Available: 0, Age: 'AGE', ...containers })
  })

  test('E13: the table of replica sets', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(replicaSets, namespace).create(aReplicaSet('web'))
    const cells = await cellsOf(kube, replicaSets, { namespace, name: 'web' })
    assert.deepEqual(cells, { Name: 'web', Desired: 0, Current: 0, Ready: 0, Age: 'AGE', ...containers })
  })

  test('E13: the table of daemon sets', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(daemonSets, namespace).create(aDaemonSet('web'))
    assert.deepEqual(await cellsOf(kube, daemonSets, { namespace, name: 'web' }), {
      Name: 'web',
      Desired: 0,
      Current: 0,
      Ready: 0,
      'Up-to-date': 0,
      Available: 0,
      'Node Selector': 'no-such=node',
      Age: 'AGE',
      ...containers,
    })
  })

  test('E13: the tables of roles and cluster roles', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const role = await kube.of(roles, namespace).create(aRole('reader'))
    assert.deepEqual(await cellsOf(kube, roles, { namespace, name: 'reader' }), {
      Name: 'reader',
      'Created At': role.metadata.creationTimestamp,
    })
    const { metadata } = await clusterWide(t, kube.of(clusterRoles), aClusterRole(uniqueName('reader')))
    assert.deepEqual(await cellsOf(kube, clusterRoles, { name: metadata.name }), {
      Name: metadata.name,
      'Created At': metadata.creationTimestamp,
    })
  })

  test('E13: the tables of bindings', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'here' }
    const subjects = [aUser('jane'), aUser('jill'), aGroup('dev'), robot]
    const cells = { Age: 'AGE', Users: 'jane, jill', Groups: 'dev', ServiceAccounts: 'here/robot' }
    await kube.of(roleBindings, namespace).create(aRoleBinding('reader', ...subjects))
    assert.deepEqual(await cellsOf(kube, roleBindings, { namespace, name: 'reader' }), {
      Name: 'reader',
      Role: 'Role/reader',
      ...cells,
    })
    const name = uniqueName('reader')
    await clusterWide(t, kube.of(clusterRoleBindings), aClusterRoleBinding(name, ...subjects))
    assert.deepEqual(await cellsOf(kube, clusterRoleBindings, { name }), {
      Name: name,
      Role: `ClusterRole/${name}`,
      ...cells,
    })
  })

  test('E13: the table of certificate signing requests', async (t) => {
    const { kube, plane } = await kindScene(t)
    const collection = kube.of(certificateSigningRequests)
    const name = uniqueName('csr')
    const created = await clusterWide(t, collection, await aSigningRequest(name, { expirationSeconds: 3600 }))
    const cells = async () => await cellsOf(kube, certificateSigningRequests, { name })
    assert.deepEqual(await cells(), {
      Name: name,
      Age: 'AGE',
      SignerName: 'example.com/nobody',
      Requestor: 'kubernetes-admin',
      RequestedDuration: '60m',
      Condition: 'Pending',
    })
    const conditions = [{ type: 'Approved', status: 'True' }]
    await collection.update({ ...created, status: { conditions } }, { subresource: 'approval' })
    assert.equal((await cells())['Condition'], 'Approved')
    const status = { conditions: [...conditions, { type: 'Failed', status: 'True' }], certificate: base64(plane.caPem) }
    await collection.update({ metadata: { name }, spec: created.spec, status }, { subresource: 'status' })
    assert.equal((await cells())['Condition'], 'Approved,Failed,Issued')
  })

  test('E13: the table of leases', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(leases, namespace).create(aLease('mine', { holderIdentity: 'me' }))
    await kube.of(leases, namespace).create(aLease('free'))
    assert.deepEqual(await cellsOf(kube, leases, { namespace, name: 'mine' }), {
      Name: 'mine',
      Holder: 'me',
      Age: 'AGE',
    })
    assert.equal((await cellsOf(kube, leases, { namespace, name: 'free' }))['Holder'], '')
  })

  test('E13: the tables of webhook configurations', async (t) => {
    const { kube } = await kindScene(t)
    const name = uniqueName('hooks')
    await clusterWide(t, kube.of(validatingWebhookConfigurations), aValidatingConfiguration(name, aWebhook))
    await clusterWide(t, kube.of(mutatingWebhookConfigurations), aMutatingConfiguration(name))
    assert.deepEqual(await cellsOf(kube, validatingWebhookConfigurations, { name }), {
      Name: name,
      Webhooks: 1,
      Age: 'AGE',
    })
    assert.deepEqual(await cellsOf(kube, mutatingWebhookConfigurations, { name }), {
      Name: name,
      Webhooks: 0,
      Age: 'AGE',
    })
  })

  test('E13: the table of custom resource definitions', async (t) => {
    const { kube } = await kindScene(t)
    const plural = uniqueName('table').replaceAll('-', '')
    const { metadata } = await clusterWide(t, kube.of(customResourceDefinitions), {
      metadata: { name: `${plural}.tests.example.com` },
      spec: {
        group: 'tests.example.com',
        scope: 'Namespaced',
        names: { plural, kind: plural },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    assert.deepEqual(await cellsOf(kube, customResourceDefinitions, { name: metadata.name }), {
      Name: metadata.name,
      'Created At': metadata.creationTimestamp,
    })
  })
})
