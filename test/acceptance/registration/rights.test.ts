import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole, PolicyRule, Role } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManagedClusterSetBinding } from '../../../src/apis/cluster/managed-cluster-set-binding.ts'
import { ManifestWork } from '../../../src/apis/work/manifest-work.ts'
import { findCondition, isTrue } from '../../../src/core/conditions.ts'
import { agentNamespace, conditions, hubNamespace, setConditions } from '../../../src/fleet/names.ts'
import { acceptedRbac, commonRoles } from '../../../src/registration/hub/membership/rbac.ts'
import { agentRbacManifests } from '../../../src/registration/manifests/agent.ts'
import { bootstrapUser } from '../../../src/registration/manifests/bootstrap.ts'
import { hubRbacManifests } from '../../../src/registration/manifests/hub-rbac.ts'
import type { Manifest } from '../../../src/registration/manifests/manifest.ts'
import type { AuditEvent } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { agentProcess, hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata }]
`

const patient = { withinMs: 60_000 }

test(
  'hub and agent are never refused anything, and have no right that the life of a cluster does not use',
  needsControlPlane,
  async (t) => {
    const plane = await startControlPlane(t, { auditPolicy })
    const kube = kubeClient(t, plane.connection())
    const clusters = kube.of(ManagedCluster.resource)
    const hub = await prepareHub(t, plane)
    const gate = ['--feature-gates', 'ManagedClusterAutoApproval=true', '--auto-approved-csr-users', bootstrapUser]
    await hubProcess(t, plane, kube, hub, ...gate)
    const { 'hub-token': token, 'ca-pins': pins } = hub.invited
    const there = ['--hub-token', token, '--hub-apiserver', plane.url, '--ca-pin', pins[0] ?? '']
    const flags = [...there, '--cluster-name', 'west', '--feature-gates', 'ClusterProperty=true']
    const joined = await lanyard(t, ['join', '--kubeconfig', plane.adminKubeconfigPath, ...flags]).ended
    assert.equal(joined.code, 0, joined.err)
    await agentProcess(t, plane, kube)

    const told = async () => (await clusters.find('west'))?.status?.conditions
    await eventually('it has joined', async () => isTrue(await told(), conditions.joined), patient)
    await kube
      .of(ManagedClusterSetBinding.resource, 'default')
      .create({ metadata: { name: 'default' }, spec: { clusterSet: 'default' } })
    await eventually('the binding is told of', async () => {
      const { status } = await kube.of(ManagedClusterSetBinding.resource, 'default').get('default')
      return isTrue(status?.conditions, setConditions.bound)
    })
    await clusters.patch('west', { type: 'merge', body: { spec: { hubAcceptsClient: false } } })
    await eventually(
      'it is denied',
      async () => findCondition(await told(), conditions.accepted)?.status === 'False',
      patient,
    )
    await clusters.patch('west', { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
    await eventually('it is accepted again', async () => isTrue(await told(), conditions.accepted), patient)
    await kube.of(ManagedClusterAddOn.resource, 'west').create({ metadata: { name: 'addon' }, spec: {} })
    await kube.of(ManifestWork.resource, 'west').create({ metadata: { name: 'work' } })
    await clusters.delete('west')
    await eventually('it is gone', async () => (await clusters.find('west')) === undefined, patient)

    const events = await plane.auditEvents()
    const by = (namespace: string, name: string) =>
      events.filter(({ user }) => user?.username === `system:serviceaccount:${namespace}:${name}`)
    for (const [who, made, manifests] of [
      ['hub', by(hubNamespace, 'registration-controller-sa'), hubRbacManifests(hubNamespace)],
      ['agent', by(agentNamespace, 'lanyard-agent'), agentRbacManifests({ namespace: agentNamespace, image: '' })],
    ] as const) {
      assert.ok(made.length > 0)
      assert.deepEqual(refusedOf(made), [], who)
      const excused = [...rare[who], ...(who === 'hub' ? granted : [])]
      assert.deepEqual(
        unusedOf(manifests, made).filter((right) => !excused.includes(right)),
        [],
        who,
      )
    }
  },
)

const refusedOf = (events: readonly AuditEvent[]): string[] =>
  events.filter(({ responseStatus }) => responseStatus?.code === 403).map((event) => rightOf(event))

const rightOf = ({ verb, objectRef }: AuditEvent): string =>
  `${verb} ${[objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/')}.${objectRef?.apiGroup ?? ''}`

function unusedOf(manifests: readonly Manifest[], events: readonly AuditEvent[]): string[] {
  const used = new Set(events.map(rightOf))
  const rules = manifests.flatMap(({ object }): PolicyRule[] => (object as Role | ClusterRole).rules ?? [])
  return [...new Set(rightsIn(rules))].filter((right) => !used.has(right)).sort()
}

function rightsIn(rules: readonly PolicyRule[] = []): string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`))),
  )
}

/** Used only after something went wrong, or not as a request of its own. */
const rare: Record<'hub' | 'agent', string[]> = {
  hub: [
    // Asked about by the API server and by our own webhook.
    'approve signers.certificates.k8s.io',
    'update managedclusters/accept.register.open-cluster-management.io',
    // A request that a newer one replaces; a cluster that left by itself.
    'delete certificatesigningrequests.certificates.k8s.io',
    'delete managedclusters.cluster.open-cluster-management.io',
    // Something of the name is there and nobody told us.
    'get clusterroles.rbac.authorization.k8s.io',
    'get clusterrolebindings.rbac.authorization.k8s.io',
    'get leases.coordination.k8s.io',
    'get managedclusters.cluster.open-cluster-management.io',
    'get namespaces.',
    'get rolebindings.rbac.authorization.k8s.io',
    // Somebody changed it.
    'patch clusterroles.rbac.authorization.k8s.io',
    'patch clusterrolebindings.rbac.authorization.k8s.io',
    'patch leases.coordination.k8s.io',
    'patch managedclustersets.cluster.open-cluster-management.io',
    'patch namespaces.',
    // The same event again.
    'get events.',
    'patch events.',
  ],
  agent: [
    // The same event again, or none at all.
    'create events.',
    'get events.',
    'patch events.',
    // No name is given, or this is OpenShift; a set wants a namespace.
    'get clusterversions.config.openshift.io',
    'create configmaps.',
    'get configmaps.',
    'create namespaces.',
    'patch namespaces.',
  ],
}

/** The hub must have what it grants. */
const granted = [acceptedRbac('west', {}).clusterRole, ...commonRoles({})].flatMap(({ rules }) => rightsIn(rules))
