/** What a cluster's agent, and whoever may only ask to join, can reach on the hub: all that is asked for is all there is. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManifestWork } from '../../../src/apis/work/manifest-work.ts'
import { Secret } from '../../../src/core/secret.ts'
import { clusterGroups, commonGroup, leaseName, rbacNames } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { configMaps, roleBindings, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import {
  bootstrapAccount,
  bootstrapManifests,
  bootstrapTokenGroup,
  bootstrapTokenId,
  bootstrapUser,
} from '../../../src/registration/manifests/bootstrap.ts'
import { clientAs } from '../../support/access-scene.ts'
import type { Served, Who } from '../../support/access-sweep.ts'
import { allowed, allowedPaths, calls, discover, notForbidden, questions, said } from '../../support/access-sweep.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, joinHub, letIn } from '../../support/agent-scene.ts'
import { aConfigMap, aRole, aRoleBinding, aSecret, aServiceAccount, aUser } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const csrGroup = 'certificatesigningrequests.certificates.k8s.io'
/** Of the whole hub by nature: Kubernetes has no requests of a cluster. */
const everybodysCsrs = ['create', 'get', 'list', 'watch'].map((verb) => `${verb} ${csrGroup}`)

const clusterKinds = 'cluster.open-cluster-management.io'
const addonKinds = 'addon.open-cluster-management.io'
const workKinds = 'work.open-cluster-management.io'
/** What the contract gives to an agent, and no more. */
const rightsOnItself = [
  ...everybodysCsrs,
  'renew managedclusters/clientcertificates.register.open-cluster-management.io',
  ...['get', 'list', 'patch', 'update', 'watch'].map((verb) => `${verb} managedclusters.${clusterKinds}`),
  ...['patch', 'update'].map((verb) => `${verb} managedclusters/status.${clusterKinds}`),
  ...['get', 'list', 'update', 'watch'].map((verb) => `${verb} leases.coordination.k8s.io`),
  ...['get', 'list', 'watch'].map((verb) => `${verb} managedclusteraddons.${addonKinds}`),
  ...['patch', 'update'].map((verb) => `${verb} managedclusteraddons/status.${addonKinds}`),
  'create events.events.k8s.io',
  ...['create', 'patch', 'update'].map((verb) => `${verb} events`),
  ...['get', 'list', 'patch', 'update', 'watch'].map((verb) => `${verb} manifestworks.${workKinds}`),
  ...['patch', 'update'].map((verb) => `${verb} manifestworks/status.${workKinds}`),
].sort()

const rightsToAsk = [
  ...everybodysCsrs,
  ...['create', 'get'].map((verb) => `${verb} managedclusters.${clusterKinds}`),
].sort()

/** Names of which one begins with the other. */
const names = ['iso', 'iso1'] as const
const prey = 'prey'

describe('rights on the hub', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: KubeClient
  let served: Served[]
  const agents = new Map<string, AgentScene>()
  before(async () => {
    plane = await startControlPlane(suite, {})
    ;({ admin } = await joinHub(suite, plane))
    const join = async (cluster: string) => {
      const scene = await agentScene(suite, plane, { cluster })
      agents.set(cluster, scene)
      await letIn(scene)
      await putPrey(admin, cluster)
    }
    await Promise.all(names.map(join))
    served = await discover(admin)
  })

  /** With the certificate that the agent keeps. */
  const clientOf = (cluster: string): Promise<KubeClient> =>
    agentsClient(suite, plane, admin, agents.get(cluster)?.namespace ?? '')

  /** What all forms of its credential get together: rights only ever add up. */
  const everyFormOf = async (cluster: string): Promise<Who> => {
    const { username, groups } = await whoAmI(await clientOf(cluster))
    assert.ok(groups.includes(clusterGroups(cluster)[0]))
    return { user: username, groups: [...new Set([...groups, ...clusterGroups(cluster), commonGroup])] }
  }

  /** What an agent would ask for if it wanted something of this cluster. */
  const nameIn = (cluster: string) => (resource: string) => {
    const [main = ''] = resource.split('/')
    if (main === 'leases') return leaseName
    if (main === 'namespaces' || main === 'managedclusters') return cluster
    return main.startsWith('clusterrole') ? rbacNames.cluster(cluster) : prey
  }

  const about = (cluster: string) =>
    questions(served, (resource, namespaced) => ({
      name: nameIn(cluster)(resource),
      ...(namespaced && { namespace: cluster }),
    }))

  /** What somebody may do to a cluster, and what of it others may not. */
  const rightsOf = async (who: Who, cluster: string, everybody: Who = anyone) => {
    const all = await allowed(admin, who, about(cluster))
    const common = await allowed(
      admin,
      everybody,
      about(cluster).filter(({ verb, group, resource }) => all.includes(said(verb, group, resource))),
    )
    return { all, own: all.filter((right) => !common.includes(right)) }
  }

  /** By real calls: everything that is served, besides what access reviews allow. */
  const notRefused = (kube: Kube, cluster: string, may: readonly string[]) =>
    notForbidden(
      kube,
      calls(served, nameIn(cluster), cluster).filter(({ what }) => !may.includes(what)),
    )

  /** The rules that hold for somebody in a namespace, without those for everybody. */
  const rulesBeyond = async (kube: Kube, namespace: string): Promise<PolicyRule[]> => {
    const known = await rulesIn(await clientAs(suite, plane, anyone.user), namespace)
    return (await rulesIn(kube, namespace)).filter((rule) => !known.some((one) => isDeepStrictEqual(one, rule)))
  }

  test('R8: an agent is refused everything of another cluster, also of one whose name begins with its own', async () => {
    for (const [own, other] of [names, [...names].reverse() as [string, string]]) {
      const who = await everyFormOf(own)
      const kube = await clientOf(own)
      const before = await versionsOfPrey(admin, other)
      const rights = await rightsOf(who, other)
      assert.deepEqual(rights.own, everybodysCsrs)
      assert.deepEqual(await notRefused(kube, other, rights.all), [])
      assert.deepEqual(await versionsOfPrey(admin, other), before)
      assert.deepEqual(await allowedPaths(admin, who), await allowedPaths(admin, anyone))
      // What a review does not think of asking for: all rules that hold there, by whatever name they are limited to.
      const more = await rulesBeyond(kube, other)
      assert.deepEqual(rightsIn(more.filter(({ resourceNames }) => `${resourceNames}` !== own)), everybodysCsrs)
    }
  })

  test('an agent may do in its own namespace, and with its own ManagedCluster, exactly what the contract says', async () => {
    const [own] = names
    const who = await everyFormOf(own)
    assert.deepEqual((await rightsOf(who, own)).own, rightsOnItself)
    for (const group of clusterGroups(own)) {
      const each = { user: who.user, groups: [group, ...anyone.groups] }
      const asked = about(own).filter(({ verb, group, resource }) =>
        rightsOnItself.includes(said(verb, group, resource)),
      )
      assert.deepEqual(await allowed(admin, each, asked), rightsOnItself, group)
    }
  })

  test('neither the name of an agent nor the group that all agents share gives any right', async () => {
    const [own] = names
    const { username } = await whoAmI(await clientOf(own))
    assert.deepEqual(await rulesBeyond(await clientAs(suite, plane, username, [commonGroup]), own), [])
  })

  test('who may only ask to join can do that and nothing else', async () => {
    const [cluster] = names
    for (const { resource, object } of bootstrapManifests())
      await admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
    const accounts = ['system:serviceaccounts', `system:serviceaccounts:${bootstrapAccount.namespace}`]
    const account = { user: bootstrapUser, groups: [...accounts, ...anyone.groups] }
    const last = [{ verb: 'create', group: clusterKinds, resource: 'managedclusters' }]
    await eventually('the role is known', async () => (await allowed(admin, account, last)).length > 0)
    const rights = await rightsOf(account, cluster, { ...anyone, groups: account.groups })
    assert.deepEqual(rights.own, rightsToAsk)
    assert.deepEqual(await notRefused(await accountsClient(suite, plane, admin), cluster, rights.all), [])
    const groups = ['system:bootstrappers', bootstrapTokenGroup]
    const token = await clientAs(suite, plane, `system:bootstrap:${bootstrapTokenId}`, groups)
    await eventually(
      'tokens of the other kind have the same rights',
      async () => rightsIn(await rulesBeyond(token, cluster)),
      { until: (rights) => isDeepStrictEqual(rights, rightsToAsk) },
    )
  })
})

const anyone: Who = { user: 'anyone', groups: ['system:authenticated'] }

const preyKinds: Resource<KubeObject>[] = [
  ...[secrets, configMaps, serviceAccounts, roles, roleBindings],
  ...[ManifestWork.resource, ManagedClusterAddOn.resource],
]

/** One of each that an agent might want to have of another cluster. */
async function putPrey(admin: Kube, namespace: string): Promise<void> {
  await admin.of(secrets, namespace).create(aSecret(prey, { key: 'value' }))
  await admin.of(configMaps, namespace).create(aConfigMap(prey))
  await admin.of(serviceAccounts, namespace).create(aServiceAccount(prey))
  await admin.of(roles, namespace).create(aRole(prey))
  await admin.of(roleBindings, namespace).create(aRoleBinding(prey, aUser('somebody')))
  await admin.of(ManifestWork.resource, namespace).create({ metadata: { name: prey }, spec: {} })
  await admin.of(ManagedClusterAddOn.resource, namespace).create({ metadata: { name: prey }, spec: {} })
}

const versionsOfPrey = (admin: Kube, namespace: string): Promise<string[]> =>
  Promise.all(
    preyKinds.map(async (kind) => {
      const { metadata } = await admin.of(kind, namespace).get(prey)
      return `${kind.kind} ${metadata.resourceVersion}`
    }),
  )

async function accountsClient(scope: TestScope, plane: OwnControlPlane, admin: Kube): Promise<Kube> {
  const { namespace, name } = bootstrapAccount
  const { status } = await admin
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>(name, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
  return kubeClient(scope, plane.connection({ authorization: Secret.of(status.token) }))
}

async function rulesIn(kube: Kube, namespace: string): Promise<PolicyRule[]> {
  const { status } = await kube.request<{ status: { incomplete: boolean; resourceRules: PolicyRule[] } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    contentType: 'application/json',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
  })
  assert.equal(status.incomplete, false)
  return status.resourceRules
}

const rightsIn = (rules: readonly PolicyRule[]): string[] =>
  rules
    .flatMap(({ verbs, apiGroups = [], resources = [] }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => said(verb, group, resource)))),
    )
    .sort()
