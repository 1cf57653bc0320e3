/** The kinds of a fleet as an API server serves them to people and programs that know them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { installNamespaceAnnotation } from '../../../src/apis/addon/conversion.ts'
import type { ManagedClusterAddOnV1Alpha1 } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { convertReview } from '../../../src/apis/conversion.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import type { KubeFailure } from '../../../src/kube/failures.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Collection } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import {
  ClusterClaim,
  ClusterProperty,
  fleetKinds,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
} from '../../support/fleet-kinds.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import { cellsOf } from '../../support/kind-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const now = '2026-01-01T00:00:00Z'
const condition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'Tested',
  message: '',
  lastTransitionTime: now,
})

type Taint = NonNullable<NonNullable<ManagedCluster['spec']>['taints']>[number]

describe('the kinds of a fleet', needsControlPlane, () => {
  const scope = suiteScope()
  let admin: KubeClient
  let clusters: Collection<ManagedCluster>
  let reviews = 0
  before(async () => {
    admin = kubeClient(scope, (await startControlPlane(scope, {})).connection())
    clusters = admin.of(ManagedCluster.resource)
    await installFleetKinds(admin)
    const server = await startHttpsServer(scope, ({ path, body }) => {
      reviews++
      return path.startsWith('/convert') ? convertReview(body) : undefined
    })
    const conversion = { url: server.url, caBundle: Buffer.from(server.caPem).toString('base64') }
    await admin
      .of(customResourceDefinitions)
      .apply(ManagedClusterAddOn.crd({ conversion }) as never, { fieldManager: 'test', force: true })
  })

  test('all of them are established, and their names are accepted', async () => {
    for (const { declaration } of fleetKinds) {
      const { status } = await admin.of(customResourceDefinitions).get(`${declaration.plural}.${declaration.group}`)
      const holds = (type: string) => status?.conditions?.find((one) => one.type === type)?.status
      assert.deepEqual([holds('Established'), holds('NamesAccepted')], ['True', 'True'], declaration.kind)
      assert.notEqual(holds('NonStructuralSchema'), 'True', declaration.kind)
      assert.notEqual(holds('KubernetesAPIApprovalPolicyConformant'), 'False', declaration.kind)
      assert.deepEqual(status?.acceptedNames?.shortNames ?? [], declaration.shortNames ?? [])
    }
  })

  test('the lease of a cluster lasts 60 seconds unless it says otherwise', async () => {
    const made = await clusters.create({ metadata: { name: 'lasting' }, spec: { hubAcceptsClient: false } })
    assert.deepEqual(made.spec, { hubAcceptsClient: false, leaseDurationSeconds: 60 })
    const own = await clusters.create({ metadata: { name: 'own' }, spec: { leaseDurationSeconds: 5 } })
    assert.equal(own.spec?.leaseDurationSeconds, 5)
  })

  const badTaints: [what: string, taint: Taint, field: string][] = [
    ['an effect that nobody knows', { key: 'k', effect: 'NoExecute' as never }, 'spec.taints[0].effect'],
    ['no effect', { key: 'k' } as never, 'spec.taints[0].effect'],
    ['a key that is no name', { key: 'not a name', effect: 'NoSelect' }, 'spec.taints[0].key'],
    ['a key that is too long', { key: 'k'.repeat(317), effect: 'NoSelect' }, 'spec.taints[0].key'],
    ['a value that is too long', { key: 'k', value: 'v'.repeat(1025), effect: 'NoSelect' }, 'spec.taints[0].value'],
  ]
  for (const [what, taint, field] of badTaints)
    test(`a taint with ${what} is refused, and the field is named`, async () => {
      await assert.rejects(
        clusters.create({ metadata: { name: 'tainted' }, spec: { taints: [taint] } }),
        ({ code, reason, details }: KubeFailure) => {
          assert.deepEqual([code, reason], [422, 'Invalid'])
          assert.ok(details?.causes?.some((cause) => cause.field === field))
          return true
        },
      )
    })

  test('a table of clusters has the columns that people know', async () => {
    const managedClusterClientConfigs = [{ url: 'https://one.example' }, { url: 'https://two.example' }]
    await clusters.create({
      metadata: { name: 'shown' },
      spec: { hubAcceptsClient: true, managedClusterClientConfigs },
    })
    const conditions = [
      condition('ManagedClusterJoined', 'True'),
      condition('ManagedClusterConditionAvailable', 'False'),
    ]
    await clusters.patch('shown', { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' })
    const cells = Object.entries(await cellsOf(admin, ManagedCluster.resource, { name: 'shown' }))
    assert.deepEqual(cells, [
      ['Name', 'shown'],
      ['Hub Accepted', true],
      ['Managed Cluster URLs', 'https://one.example'],
      ['Joined', 'True'],
      ['Available', 'False'],
      ['Age', 'AGE'],
    ])
  })

  test('a set selects by its label unless it says otherwise, also where it says nothing', async () => {
    const sets = admin.of(ManagedClusterSet.resource)
    const exclusive = { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } }
    assert.deepEqual((await sets.create({ metadata: { name: 'bare' } })).spec, exclusive)
    assert.deepEqual((await sets.create({ metadata: { name: 'empty' }, spec: {} })).spec, exclusive)
    const all = { clusterSelector: { selectorType: 'LabelSelector' as const, labelSelector: {} } }
    assert.deepEqual((await sets.create({ metadata: { name: 'all' }, spec: all })).spec, all)
    await assert.rejects(
      sets.create({ metadata: { name: 'odd' }, spec: { clusterSelector: { selectorType: 'x' as never } } }),
      {
        code: 422,
      },
    )
  })

  test('works, bindings, claims and properties keep what is written in them', async (t) => {
    const namespace = await freshNamespace(t, admin)
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { any: 'thing' } }
    const work = await admin.of(ManifestWork.resource, namespace).create({
      metadata: { name: 'w' },
      spec: { workload: { manifests: [manifest] }, deleteOption: {} },
    })
    assert.deepEqual(work.spec?.workload?.manifests, [manifest])
    assert.deepEqual(work.spec?.deleteOption, { propagationPolicy: 'Foreground' })
    const binding = { metadata: { name: 'b' }, spec: { clusterSet: 'b' } }
    const bound = await admin.of(ManagedClusterSetBinding.resource, namespace).create(binding)
    assert.deepEqual(bound.spec, binding.spec)
    const fact = { metadata: { name: 'id.k8s.io' }, spec: { value: 'x' } }
    assert.deepEqual((await admin.of(ClusterClaim.resource).create(fact)).spec, fact.spec)
    assert.deepEqual((await admin.of(ClusterProperty.resource).create(fact)).spec, fact.spec)
  })

  describe('an add-on in two versions', () => {
    const oldOf = (namespace: string) => admin.of(ManagedClusterAddOn.versions.v1alpha1, namespace)
    const newOf = (namespace: string) => admin.of(ManagedClusterAddOn.versions.v1beta1, namespace)

    const status: ManagedClusterAddOnV1Alpha1['status'] = {
      conditions: [condition('Available', 'True')],
      registrations: [
        {
          signerName: 'kubernetes.io/kube-apiserver-client',
          subject: { user: 'u', groups: ['g'], organizationUnit: ['o'] },
        },
        { signerName: 'example.com/signer', subject: { user: 'v', organizationUnit: ['p'] } },
      ],
      kubeClientDriver: 'token',
      configReferences: [{ group: '', resource: 'configmaps', name: 'former', desiredConfig: { name: 'c' } }],
      addOnConfiguration: { crdName: 'x', lastObservedGeneration: 3 },
    }

    before(async () => {
      const probes = oldOf('default')
      await eventually('the changed definition is in force', async () => {
        await unlessUnready(probes.create({ metadata: { name: 'probe' }, spec: {} }))
        await probes.delete('probe')
        return reviews > 0
      })
    })

    const created = async (namespace: string, spec: ManagedClusterAddOnV1Alpha1['spec']) => {
      await oldOf(namespace).create({ metadata: { name: 'a', labels: { l: 'x' } }, spec })
      return await oldOf(namespace).patch('a', { type: 'merge', body: { status } }, { subresource: 'status' })
    }

    test('what is written as v1alpha1 is read as v1beta1, and back with nothing lost', async (t) => {
      const namespace = await freshNamespace(t, admin)
      const written = await created(namespace, { installNamespace: 'tools' })
      const read = await newOf(namespace).get('a')
      assert.equal(read.metadata.annotations?.[installNamespaceAnnotation], 'tools')
      assert.deepEqual(read.spec, {})
      assert.deepEqual(read.status?.registrations, [
        { type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] }, driver: 'token' } },
        {
          type: 'customSigner',
          customSigner: { signerName: 'example.com/signer', subject: { user: 'v', organizationUnits: ['p'] } },
        },
      ])
      const back = await oldOf(namespace).get('a')
      assert.deepEqual([back.spec, back.status], [{ installNamespace: 'tools' }, status])
      assert.deepEqual({ ...back.metadata, managedFields: 0 }, { ...written.metadata, managedFields: 0 })
    })

    test('an install namespace that is not said is the usual one', async (t) => {
      const namespace = await freshNamespace(t, admin)
      await created(namespace, {})
      const { metadata } = await newOf(namespace).get('a')
      assert.equal(metadata.annotations?.[installNamespaceAnnotation], 'open-cluster-management-agent-addon')
    })

    test('what is changed in one version is changed in the other, and the rest stays', async (t) => {
      const namespace = await freshNamespace(t, admin)
      await created(namespace, { installNamespace: 'tools' })
      const annotations = { [installNamespaceAnnotation]: 'elsewhere' }
      await newOf(namespace).patch('a', { type: 'merge', body: { metadata: { annotations } } })
      const body = { status: { namespace: 'elsewhere' } }
      await newOf(namespace).patch('a', { type: 'merge', body }, { subresource: 'status' })
      const old = await oldOf(namespace).get('a')
      assert.deepEqual([old.spec, old.status], [{ installNamespace: 'elsewhere' }, { ...status, ...body.status }])
      await oldOf(namespace).update({ ...old, spec: { installNamespace: 'home' } })
      const read = await newOf(namespace).get('a')
      assert.equal(read.metadata.annotations?.[installNamespaceAnnotation], 'home')
      assert.deepEqual((await oldOf(namespace).get('a')).status, old.status)
    })

    test('drivers of v1beta1 that differ survive a status that is written as v1alpha1', async (t) => {
      const namespace = await freshNamespace(t, admin)
      await created(namespace, {})
      const registrations = (['csr', 'token'] as const).map((driver) => ({
        type: 'kubeClient' as const,
        kubeClient: { subject: { user: driver }, driver },
      }))
      const patchOf = (fields: object) => ({ type: 'merge' as const, body: { status: fields } })
      await newOf(namespace).patch('a', patchOf({ registrations }), { subresource: 'status' })
      await oldOf(namespace).patch('a', patchOf({ namespace: 'n' }), { subresource: 'status' })
      const read = await newOf(namespace).get('a')
      assert.deepEqual([read.status?.namespace, read.status?.registrations], ['n', registrations])
    })

    test('a list in the version that is not stored has them all', async (t) => {
      const namespace = await freshNamespace(t, admin)
      await created(namespace, { installNamespace: 'tools' })
      await newOf(namespace).create({ metadata: { name: 'b' }, spec: {} })
      const { items } = await oldOf(namespace).list()
      assert.deepEqual(
        items.map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
        [
          ['addon.open-cluster-management.io/v1alpha1', 'a'],
          ['addon.open-cluster-management.io/v1alpha1', 'b'],
        ],
      )
    })
  })
})
