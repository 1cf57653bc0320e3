import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizers, labels } from '../../../fleet/names.ts'
import { acceptedRbac, clusterNamespace, commonRoles, deniedRbac } from './rbac.ts'

const rulesOf = (
  rules: { apiGroups?: string[]; resources?: string[]; verbs: string[]; resourceNames?: string[] }[] = [],
) =>
  rules.map(({ apiGroups, resources, verbs, resourceNames }) => [
    `${resources}.${apiGroups}`,
    verbs.toSorted().join(),
    resourceNames?.join() ?? '*',
  ])

test('an accepted cluster may ask for certificates and keep its own ManagedCluster, nobody else’s', () => {
  assert.deepEqual(rulesOf(acceptedRbac('west', {}).clusterRole.rules), [
    ['certificatesigningrequests.certificates.k8s.io', 'create,get,list,watch', '*'],
    ['managedclusters/clientcertificates.register.open-cluster-management.io', 'renew', 'west'],
    ['managedclusters.cluster.open-cluster-management.io', 'get,list,patch,update,watch', 'west'],
    ['managedclusters/status.cluster.open-cluster-management.io', 'patch,update', 'west'],
  ])
})

test('a denied cluster may look at its own ManagedCluster, by the same binding', () => {
  const { clusterRole, clusterRoleBinding, ...rest } = deniedRbac('west', {})
  assert.deepEqual(rulesOf(clusterRole.rules), [
    ['managedclusters.cluster.open-cluster-management.io', 'get,list,watch', 'west'],
  ])
  assert.deepEqual(clusterRoleBinding, acceptedRbac('west', {}).clusterRoleBinding)
  assert.deepEqual(rest, {})
})

test('every binding names both groups of the cluster and no more', () => {
  const { clusterRoleBinding, registrationBinding, workBinding } = acceptedRbac('west', {})
  for (const { subjects } of [clusterRoleBinding, registrationBinding, workBinding])
    assert.deepEqual(
      subjects?.map(({ kind, name }) => [kind, name]),
      [
        ['Group', 'system:open-cluster-management:west'],
        ['Group', 'open-cluster-management:west'],
      ],
    )
  assert.deepEqual(workBinding.metadata.finalizers, [finalizers.manifestWorkCleanup])
})

test('the shared roles let an agent keep its lease, add-ons, works and events', () => {
  const [registration, work] = commonRoles({})
  assert.deepEqual(rulesOf(registration?.rules), [
    ['leases.coordination.k8s.io', 'get,list,update,watch', '*'],
    ['managedclusteraddons.addon.open-cluster-management.io', 'get,list,watch', '*'],
    ['managedclusteraddons/status.addon.open-cluster-management.io', 'patch,update', '*'],
    ['events.events.k8s.io', 'create', '*'],
  ])
  assert.deepEqual(rulesOf(work?.rules), [
    ['events.', 'create,patch,update', '*'],
    ['manifestworks.work.open-cluster-management.io', 'get,list,patch,update,watch', '*'],
    ['manifestworks/status.work.open-cluster-management.io', 'patch,update', '*'],
  ])
})

test('everything carries the operator’s labels and whose it is, which they cannot change', () => {
  const extra = { team: 'fleet', [labels.clusterName]: 'other' }
  const own = [clusterNamespace('west', extra), ...Object.values(acceptedRbac('west', extra))]
  for (const { metadata } of own) assert.deepEqual(metadata.labels, { team: 'fleet', [labels.clusterName]: 'west' })
  for (const { metadata } of commonRoles(extra))
    assert.deepEqual(metadata.labels, { team: 'fleet', [labels.clusterName]: '' })
})
