/** The hub side of an add-on: it says which credential the add-on needs, and what may be done with it. */
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import { runTogether } from '../../src/core/lifecycle.ts'
import type { Log } from '../../src/core/log.ts'
import { done } from '../../src/core/outcome.ts'
import type { Random } from '../../src/core/random.ts'
import { accountUser, addonAccounts, addonUser } from '../../src/fleet/names.ts'
import { controller } from '../../src/kube/controller.ts'
import { informer } from '../../src/kube/informer.ts'
import { roleBindings, roles } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { apiVersionOf } from '../../src/kube/objects.ts'
import { changesOf, watching } from '../../src/kube/watching.ts'

export const addonName = 'addon-hello'
/** The ConfigMap that the agent writes in the namespace of its cluster: all that it may do on the hub. */
export const greetingName = 'addon-hello-greeting'

const apiGroup = 'rbac.authorization.k8s.io'
const rules = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [greetingName], verbs: ['get', 'create', 'patch'] },
]

export function helloHub({ kube, ...deps }: { kube: Kube; clock: Clock; random: Random; log: Log }): Run {
  const all = kube.of(ManagedClusterAddOn.resource)
  const addons = informer(all, { ...deps, fieldSelector: `metadata.name=${addonName}` })
  const clusters = informer(kube.of(ManagedCluster.resource), deps)
  const accepted = changesOf<ManagedCluster>(({ spec }) => spec?.hubAcceptsClient)
  const ofCluster = watching(clusters, ({ metadata }) => `${metadata.name}/${addonName}`, { when: accepted })
  const watches = [watching(addons, undefined, { when: changesOf(({ status }) => status?.registrations) }), ofCluster]
  const reconcile = async (key: string) => {
    const addon = addons.get(key)
    if (!addon || addon.metadata.deletionTimestamp) return done
    if (!addon.status?.registrations) await askForCredential(kube, addon)
    else if (clusters.get(addon.metadata.namespace ?? '')?.spec?.hubAcceptsClient) await bindPermissions(kube, addon)
    // Of a denied cluster: nobody can take back a certificate, but it opens nothing once nothing is bound to it.
    else await kube.of(roleBindings, addon.metadata.namespace).delete(addonName)
    return done
  }
  const { run } = controller(addonName, reconcile, { ...deps, watches })
  return (signal) => runTogether(signal, [addons.run, clusters.run, run])
}

/** Driver and subject are left to the agent of the cluster. */
async function askForCredential(kube: Kube, addon: Stored<ManagedClusterAddOn>): Promise<void> {
  const status = { ...addon.status, registrations: [{ type: 'kubeClient' as const }] }
  const addons = kube.of(ManagedClusterAddOn.resource, addon.metadata.namespace)
  await addons.update({ ...addon, status }, { subresource: 'status' })
}

/** What is given belongs to the add-on: Kubernetes removes it with its owner. */
async function bindPermissions(kube: Kube, { metadata, status }: Stored<ManagedClusterAddOn>): Promise<void> {
  const { namespace: cluster = '', uid } = metadata
  const { user = '' } = status?.registrations?.find(({ type }) => type === 'kubeClient')?.kubeClient?.subject ?? {}
  if (!isThisAddon(cluster, user)) return
  const owner = { apiVersion: apiVersionOf(ManagedClusterAddOn.resource), kind: 'ManagedClusterAddOn', name: addonName }
  const ours = { name: addonName, ownerReferences: [{ ...owner, uid }] }
  const roleRef = { apiGroup, kind: 'Role', name: addonName }
  const subjects = [{ apiGroup, kind: 'User', name: user }]
  const manager = { fieldManager: addonName, force: true }
  await kube.of(roles, cluster).apply({ metadata: ours, rules }, manager)
  await kube.of(roleBindings, cluster).apply({ metadata: ours, roleRef, subjects }, manager)
}

/** The agent of the cluster wrote the subject, and must not have somebody else bound. Names are compared whole. */
const isThisAddon = (cluster: string, user: string): boolean =>
  user === addonUser(cluster, addonName) ||
  addonAccounts(cluster, addonName).some((account) => user === accountUser(cluster, account))
