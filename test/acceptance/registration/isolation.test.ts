/** What a cluster's agent, and whoever may only ask to join, can reach on the hub: all that is asked for is all there is. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManifestWork } from '../../../src/apis/work/manifest-work.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Secret } from '../../../src/core/secret.ts'
import { agentSecrets, clusterGroups, commonGroup, leaseName, rbacNames } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { configMaps, leases, roleBindings, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import {
  bootstrapAccount,
  bootstrapManifests,
  bootstrapTokenGroup,
  bootstrapUser,
} from '../../../src/registration/manifests/bootstrap.ts'
import { connectionIn } from '../../../src/registration/operations/secret-connection.ts'
import type { Served, Who } from '../../support/access-sweep.ts'
import { allowed, allowedPaths, calls, discover, notForbidden, questions } from '../../support/access-sweep.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, joinHub, letIn } from '../../support/agent-scene.ts'
import { aConfigMap, aRole, aRoleBinding, aSecret, aServiceAccount, aUser, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
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
  ...['get', 'list', 'update', 'watch'].map((verb) => `${verb} managedclusters.${clusterKinds}`),
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
  'get configmaps',
  ...['create', 'get', 'list', 'watch'].map((verb) => `${verb} managedclusters.${clusterKinds}`),
  `create managedclustersets/join.${clusterKinds}`,
].sort()

/** Names of which one begins with the other. */
const names = ['iso', 'iso1'] as const
const prey = 'prey'

describe('rights on the hub', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: KubeClient
  let served: Served[]
  let agents: Record<string, AgentScene>
  before(async () => {
    plane = await startControlPlane(suite, {})
    ;({ admin } = await joinHub(suite, plane))
    for (const { resource, object } of bootstrapManifests())
      await admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
    const joined = await Promise.all(
      names.map(async (cluster) => {
        const scene = await agentScene(suite, plane, { cluster })
        await letIn(scene)
        await putPrey(admin, cluster)
        return [cluster, scene] as const
      }),
    )
    agents = Object.fromEntries(joined)
    served = await discover(admin)
  })

  /** With the certificate that the agent keeps. */
  const clientOf = async (cluster: string): Promise<KubeClient> => {
    const secret = await admin.of(secrets, agents[cluster]?.namespace ?? '').get(agentSecrets.hubKubeconfig)
    return kubeClient(suite, await connectionIn(secret, systemClock))
  }

  /** All that anybody gets by all these names together: rights only ever add up. */
  const everyForm = async (cluster: string): Promise<Who> => {
    const { username, groups } = await whoAmI(await clientOf(cluster))
    assert.ok(groups.includes(clusterGroups(cluster)[0]))
    return { user: username, groups: [...new Set([...groups, ...clusterGroups(cluster), commonGroup])] }
  }

  const objectIn = (cluster: string) => (resource: string) => {
    if (resource.startsWith('leases')) return leaseName
    if (/^(namespaces|managedclusters)(\/|$)/.test(resource)) return cluster
    return /^clusterrole/.test(resource) ? rbacNames.cluster(cluster) : prey
  }

  const about = (cluster: string) =>
    questions(served, (resource, namespaced) => ({
      name: objectIn(cluster)(resource),
      ...(namespaced && { namespace: cluster }),
    }))

  /** What somebody may do there beyond what every authenticated user may. */
  const beyondEverybody = async (who: Who, cluster: string, everybody: Who = stranger): Promise<string[]> => {
    const [theirs, all] = [await allowed(admin, who, about(cluster)), await allowed(admin, everybody, about(cluster))]
    return theirs.filter((right) => !all.includes(right))
  }

  for (const [own, other] of [
    [names[0], names[1]],
    [names[1], names[0]],
  ])
    test(`R8${own === names[0] ? 'a' : 'b'}: the agent of ${own} is refused everything of ${other}, whichever way it asks`, async () => {
      const who = await everyForm(own)
      assert.deepEqual(await beyondEverybody(who, other), everybodysCsrs)
      const kube = await clientOf(own)
      const may = await allowed(admin, who, about(other))
      const forbidden = calls(served, objectIn(other), other).filter(({ what }) => !may.includes(what))
      assert.deepEqual(await notForbidden(kube, forbidden), [])
    })
})

const stranger: Who = { user: 'somebody', groups: ['system:authenticated'] }

/** One of each that an agent might want to have of another cluster. */
async function putPrey(admin: Kube, namespace: string): Promise<void> {
  await admin.of(secrets, namespace).create(aSecret(prey, { key: 'value' }))
  await admin.of(configMaps, namespace).create(aConfigMap(prey))
  await admin.of(serviceAccounts, namespace).create(aServiceAccount(prey))
  await admin.of(roles, namespace).create(aRole(prey))
  await admin.of(roleBindings, namespace).create(aRoleBinding(prey, aUser('somebody else')))
  await admin.of(ManifestWork.resource, namespace).create({ metadata: { name: prey }, spec: {} })
  await admin.of(ManagedClusterAddOn.resource, namespace).create({ metadata: { name: prey }, spec: {} })
}
void [bootstrapAccount, bootstrapTokenGroup, bootstrapUser, rightsOnItself, rightsToAsk, Secret, isForbidden, leases, uniqueName, allowedPaths, ManagedCluster]
export type X = PolicyRule
