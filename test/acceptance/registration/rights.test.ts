/** Whether the roles of hub and agent say what the two do: no less, or they are refused something, and no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../../../src/apis/cluster/managed-cluster-set.ts'
import { ManagedClusterSetBinding } from '../../../src/apis/cluster/managed-cluster-set-binding.ts'
import { ManifestWork } from '../../../src/apis/work/manifest-work.ts'
import { findCondition, isTrue, setCondition } from '../../../src/core/conditions.ts'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import {
  agentNamespace,
  agentSecrets,
  conditions,
  defaultSet,
  finalizers,
  hubNamespace,
  labels,
  leaseName,
  parseAgentUser,
  rbacNames,
  setConditions,
} from '../../../src/fleet/names.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  secrets,
} from '../../../src/kube/kinds.ts'
import { generateKey } from '../../../src/pki/index.ts'
import { acceptedRbac, commonRoles } from '../../../src/registration/hub/membership/rbac.ts'
import { agentRbacManifests } from '../../../src/registration/manifests/agent.ts'
import { agentAddonRules } from '../../../src/registration/manifests/agent-addons.ts'
import { agentReachRules } from '../../../src/registration/manifests/agent-reach.ts'
import { bootstrapUser } from '../../../src/registration/manifests/bootstrap.ts'
import { hubAddonRules, hubRbacManifests } from '../../../src/registration/manifests/hub-rbac.ts'
import { reasons } from '../../../src/registration/reasons.ts'
import type { AccountsScene } from '../../support/accounts-scene.ts'
import {
  accountsScene,
  agentsAccount,
  hubsAccount,
  refusedOf,
  rightsIn,
  rightsOf,
  rightsUsed,
} from '../../support/accounts-scene.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import { csrsOf, decide, setAccepted } from '../../support/agent-scene.ts'
import { aClusterRole, aClusterRoleBinding, aNamespace, aUser } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'

test(
  'hub and agent are refused nothing they need, and have no right that lives of clusters do not use',
  needsControlPlane,
  async (t) => {
    const scene = await accountsScene(t)
    const { admin, clock, until, plane } = scene
    const clusters = admin.of(ManagedCluster.resource)
    const told = async (name: string) => (await clusters.find(name))?.status?.conditions

    // An agent whose first request is denied, and which is let in by a hub that lets in by itself.
    let stopHub = await scene.startHub()
    const { agent, stop: stopAgent } = await scene.startAgent()
    await until('the agent has a name', async () => agent.state().cluster)
    const west = agent.state().cluster ?? ''
    await until('it asks', async () => (await csrsOf(admin, west)).length > 0)
    await decide(admin, (await csrsOf(admin, west))[0]?.metadata.name ?? '', 'Denied')
    await until('it knows', async () => agent.state().trouble?.reason === reasons.ClientCertificateDenied)
    await stopHub()
    const generous = { autoApprovedUsers: [bootstrapUser], unjoinGraceMs: 60_000 }
    stopHub = await scene.startHub(generous)
    await until('it asks again', async () => (await csrsOf(admin, west)).length > 1, '2s')
    await until('it has joined', async () => isTrue(await told(west), conditions.joined))
    const joinedAt = new Date()

    await east(scene)
    await sets(scene)
    await clusters.patch(west, { type: 'merge', body: { spec: { leaseDurationSeconds: 30 } } })
    await until('its lease says so', async () => {
      const { spec } = await admin.of(leases, west).get(leaseName)
      return spec?.leaseDurationSeconds === 30
    })
    const isLost = async () => findCondition(await told('east'), conditions.available)?.status === 'Unknown'
    await until('the hub has lost the one without an agent', isLost, '20s')
    const deniedAt = new Date()
    await setAccepted(admin, west, false)
    await until('it is denied', async () => findCondition(await told(west), conditions.accepted)?.status === 'False')
    await setAccepted(admin, west, true)
    await until('it is accepted', async () => isTrue(await told(west), conditions.accepted))

    // Another hub process has the same to tell as the one before.
    await stopHub()
    stopHub = await scene.startHub(generous)
    await isSaidToBeThere(scene, 'east')
    await until('it is lost again', isLost, '20s')
    await farewell(scene, 'east')

    // As far as the time of the control plane allows: to the end of this certificate.
    const certificate = async () =>
      (await admin.of(secrets, agentNamespace).get(agentSecrets.hubKubeconfig)).data?.['tls.crt']
    const first = await certificate()
    await until('its certificate is renewed', async () => (await certificate()) !== first, '1m')

    // The agent's own wish to leave, as `lanyard unjoin` says it.
    await stopAgent()
    const itself = (await agentsClient(t, plane, admin, agentNamespace)).of(ManagedCluster.resource)
    await until('it may leave', async () => {
      const cluster = await itself.get(west).catch(() => undefined)
      return (
        cluster && itself.update({ ...cluster, spec: { ...cluster.spec, hubAcceptsClient: false } }).catch(() => false)
      )
    })
    await until('it is denied', async () => findCondition(await told(west), conditions.accepted)?.status === 'False')
    await clock.advance('2m')
    await until('it is gone', async () => (await clusters.find(west)) === undefined)
    await stopHub()

    const byHub = await scene.auditOf(hubsAccount)
    const byAgent = await scene.auditOf(agentsAccount)
    assert.deepEqual(refusedOf(byHub), [])
    assert.deepEqual(refusedOf(byAgent), [])
    const asItself = (await plane.auditEvents()).filter(({ user, requestReceivedTimestamp: at }) => {
      const isAccepted = joinedAt.toISOString() < at && at < deniedAt.toISOString()
      return isAccepted && parseAgentUser(user.username ?? '')?.cluster === west
    })
    assert.ok(asItself.length > 0)
    assert.deepEqual(refusedOf(asItself), [])

    const unused = (rights: readonly string[], used: readonly string[]) => rights.filter((one) => !used.includes(one))
    const held = rightsOf(hubRbacManifests(hubNamespace))
    const usedByHub = byHub.flatMap(rightsUsed)
    assert.deepEqual(unused(held, [...usedByHub, ...granted, ...ofHubForAddons]), Object.keys(unusedByHub).sort())
    const heldByAgent = rightsOf(agentRbacManifests({ namespace: agentNamespace, image: '' }))
    const usedByAgent = byAgent.flatMap(rightsUsed)
    const ofOtherJobs = [...ofAgentForAddons, ...rightsIn(agentReachRules({ namespace: agentNamespace }))]
    assert.deepEqual(unused(heldByAgent, [...usedByAgent, ...ofOtherJobs]), Object.keys(unusedByAgent).sort())
  },
)

/** A cluster without an agent, in the place of which somebody has put things, and two requests for it. */
async function east({ admin, until }: AccountsScene): Promise<void> {
  const name = rbacNames.cluster('east')
  await admin.of(namespaces).create(aNamespace('east'))
  await admin.of(clusterRoles).create(aClusterRole(name))
  await admin.of(clusterRoleBindings).create(aClusterRoleBinding(name, aUser('somebody')))
  await admin.of(ManagedCluster.resource).create({ metadata: { name: 'east' }, spec: { hubAcceptsClient: true } })
  for (const _ of [1, 2])
    await admin
      .of(certificateSigningRequests)
      .create(await csrObject(agentOrder('east', 'agent'), generateKey().keyPem))
  const isSettled = async () => {
    const { status } = await admin.of(ManagedCluster.resource).get('east')
    return isTrue(status?.conditions, conditions.accepted) && (await csrsOf(admin, 'east')).length === 1
  }
  await until('it is accepted, and one request is left', isSettled, 2_000)
  const ghost = { ...aClusterRole(rbacNames.cluster('ghost')), metadata: { name: rbacNames.cluster('ghost') } }
  await admin
    .of(clusterRoles)
    .create({ ...ghost, metadata: { ...ghost.metadata, labels: { [labels.clusterName]: 'ghost' } } })
  await until('what belongs to no cluster is gone', async () => {
    const left = await admin.of(clusterRoles).find(rbacNames.cluster('ghost'))
    return left === undefined
  })
}

async function sets({ admin, until }: AccountsScene): Promise<void> {
  const all = admin.of(ManagedClusterSet.resource)
  const bindings = admin.of(ManagedClusterSetBinding.resource, 'default')
  await bindings.create({ metadata: { name: defaultSet }, spec: { clusterSet: defaultSet } })
  await until('the binding is told of', async () =>
    isTrue((await bindings.get(defaultSet)).status?.conditions, setConditions.bound),
  )
  const body = { spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } } }
  await all.patch(defaultSet, { type: 'merge', body })
  await until('it selects by its label again', async () => {
    const { spec } = await all.get(defaultSet)
    return spec?.clusterSelector?.selectorType === 'ExclusiveClusterSetLabel'
  })
  await all.patch(defaultSet, { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'wanted' }] } } })
  await until('the namespace is there', () => admin.of(namespaces).find('wanted'))
  await all.patch(defaultSet, { type: 'merge', body: { spec: { managedNamespaces: null } } })
  await until('it is wanted no more', async () => {
    const { metadata } = await admin.of(namespaces).get('wanted')
    const marks = Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith(labels.managedNamespacePrefix))
    return marks.some(([, value]) => value === 'false')
  })
}

async function isSaidToBeThere({ admin }: AccountsScene, name: string): Promise<void> {
  const clusters = admin.of(ManagedCluster.resource)
  const { metadata, status } = await clusters.get(name)
  const there = {
    type: conditions.available,
    status: 'True',
    reason: reasons.ManagedClusterAvailable,
    message: 'by the test',
  } as const
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: { conditions: setCondition(status?.conditions, there, new Date()) },
  }
  await clusters.patch(name, { type: 'merge', body }, { subresource: 'status' })
}

/** Goes when its add-on and its work have. */
async function farewell({ admin, until }: AccountsScene, name: string): Promise<void> {
  const works = admin.of(ManifestWork.resource, name)
  await admin.of(ManagedClusterAddOn.resource, name).create({ metadata: { name: 'addon' }, spec: {} })
  await works.create({ metadata: { name: 'work', finalizers: [finalizers.manifestWorkCleanup] }, spec: {} })
  await admin.of(ManagedCluster.resource).delete(name)
  await until('its work is asked to go', async () => (await works.get('work')).metadata.deletionTimestamp)
  await works.patch('work', { type: 'merge', body: { metadata: { finalizers: null } } })
  await until('it is gone', async () => (await admin.of(ManagedCluster.resource).find(name)) === undefined)
}

/** Kubernetes lets nobody give away what they do not have. */
const granted = [{ rules: acceptedRbac('any', {}).clusterRole.rules }, ...commonRoles({})]
  .flatMap(({ rules }) => rightsIn(rules))
  .map((right) => right.replace(/ any$/, ''))

/** What only lives of add-ons use: test/acceptance/addons/addon-rights.test.ts. */
const ofHubForAddons = rightsIn(hubAddonRules())
const ofAgentForAddons = rightsIn(Object.values(agentAddonRules({ namespace: agentNamespace })).flat())

/** Each with its reason. */
const unusedByHub: Record<string, string> = {
  'approve signers.certificates.k8s.io kubernetes.io/kube-apiserver-client': 'asked about when a request is approved',
  [`bind clusterroles.rbac.authorization.k8s.io ${rbacNames.registrationRole}`]: 'asked about when it is bound',
  [`bind clusterroles.rbac.authorization.k8s.io ${rbacNames.workRole}`]: 'asked about when it is bound',
  'update managedclusters/accept.register.open-cluster-management.io': 'asked about by our webhook when we accept',
}

const unusedByAgent: Record<string, string> = {
  'create namespaces': 'asked about when an apply makes one',
  'get /healthz': 'where an API server has no /livez',
  'get events': 'an event that is told again',
  'patch configmaps cluster-name': 'one that an older agent, or one of the field, left without the name of the agent',
  'patch events': 'an event that is told again',
}
