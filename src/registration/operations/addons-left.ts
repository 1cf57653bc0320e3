import type { Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Step } from '../../core/step.ts'
import { addonGroup, anyAddonGroup } from '../../fleet/names.ts'
import { isForbidden, isNotFound } from '../../kube/failures.ts'
import { clusterRoleBindings, roleBindings } from '../../kube/kinds.ts'
import type { OperationDeps } from './accept.ts'

/**
 * Tells which add-ons of a denied cluster may hold certificates that still open something, and how to end that. An
 * add-on counts if a registration of it is by certificate, and also if a right is bound to its certificates: its agent
 * chooses the driver, may have had a certificate before, and what its status says now does not take that back.
 */
export async function* addonsLeft(cluster: string, { kube, signal }: OperationDeps): AsyncGenerator<Step> {
  try {
    const options = { signal }
    const [addons, inNamespace, everywhere] = await Promise.all([
      kube.of(ManagedClusterAddOn.resource, cluster).list(options),
      kube.of(roleBindings, cluster).list(options),
      kube.of(clusterRoleBindings).list(options),
    ])
    const commands = new Map<string, string[]>()
    for (const { metadata, status } of addons.items) if (isByCertificate(status)) commands.set(metadata.name, [])
    const bound = [
      ...inNamespace.items.map((binding) => ({ binding, command: `kubectl -n ${cluster} delete rolebinding` })),
      ...everywhere.items.map((binding) => ({ binding, command: 'kubectl delete clusterrolebinding' })),
    ]
    for (const { binding, command } of bound)
      for (const addon of addonsBoundBy(cluster, binding.subjects))
        commands.set(addon, [...(commands.get(addon) ?? []), `${command} ${binding.metadata.name}`])
    for (const [addon, ends] of [...commands].toSorted(([a], [b]) => a.localeCompare(b))) {
      const how =
        ends.length > 0 ? `to end it: ${ends.join('; ')}` : `look for bindings of the group ${anyAddonGroup(addon)}`
      yield { did: `certificates of the add-on ${addon} may go on working`, detail: `until its rights go; ${how}` }
    }
  } catch (error) {
    if (isNotFound(error)) return
    // Thrown, it would keep the command from what it has to revoke after this.
    signal.throwIfAborted()
    const why = isForbidden(error) ? 'you may not list them, or not their bindings' : 'the hub did not answer'
    yield { did: `the add-ons of ${cluster} were not looked at`, detail: why }
  }
}

/** A registration without a driver is by certificate: agents of the field do not name it. */
const isByCertificate = (status: ManagedClusterAddOn['status']): boolean =>
  status?.registrations?.some(({ type, kubeClient }) => type !== 'kubeClient' || kubeClient?.driver !== 'token') ??
  false

/** Users and groups of certificates both begin with the group of the add-on on this cluster. */
function addonsBoundBy(cluster: string, subjects: readonly Subject[] = []): Set<string> {
  const prefix = addonGroup(cluster, '')
  const names = subjects.filter(({ kind, name }) => kind !== 'ServiceAccount' && name.startsWith(prefix))
  return new Set(names.map(({ name }) => name.slice(prefix.length).split(':', 1).join()))
}
