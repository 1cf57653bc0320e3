import { installNamespaceAnnotation } from '../../apis/addon/conversion.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Step } from '../../core/step.ts'
import { isAlreadyExists } from '../../kube/failures.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { installNamespaceOf } from '../registrations.ts'
import { failures } from './failures.ts'
import { checkAddonName, checkPlace } from './names.ts'

export interface AddonOperationDeps {
  /** The hub, as the person who asks. */
  kube: Kube
  signal: AbortSignal
}

export interface AddonPlace {
  addon: string
  cluster: string
  /** On the managed cluster. Absent: whatever the add-on says. */
  namespace?: string | undefined
}

/** Puts an add-on on a cluster. Repeats well; an add-on that is there in another namespace moves. */
export async function* enableAddon(place: AddonPlace, deps: AddonOperationDeps): AsyncGenerator<Step> {
  const { addon, cluster, namespace } = place
  checkAddonName(addon)
  if (namespace !== undefined) checkPlace('namespace', namespace)
  yield { doing: `enabling ${addon} on ${cluster}` }
  await mustTakeAddons(cluster, deps)
  const { kube, signal } = deps
  const addons = kube.of(ManagedClusterAddOn.resource, cluster)
  const annotations = namespace === undefined ? {} : { [installNamespaceAnnotation]: namespace }
  const found = await addons.find(addon, { signal })
  if (found?.metadata.deletionTimestamp) throw failures.ADDON_LEAVES({ addon, cluster })
  if (!found) {
    try {
      const made = await addons.create({ metadata: { name: addon, annotations }, spec: {} }, { signal })
      return yield { did: `${addon} is enabled on ${cluster}`, detail: whereIs(made) }
    } catch (error) {
      // Somebody else was faster with the same wish.
      if (!isAlreadyExists(error)) throw error
    }
  }
  if (namespace === undefined || (found && installNamespaceOf(found) === namespace))
    return yield { did: `${addon} is enabled on ${cluster} already`, ...(found && { detail: whereIs(found) }) }
  const moved = await addons.patch(addon, { type: 'merge', body: { metadata: { annotations } } }, { signal })
  const hasMoved = installNamespaceOf(moved) === namespace
  yield {
    did: `${addon} is enabled on ${cluster} already${hasMoved ? ', and moves' : ''}`,
    detail: hasMoved ? whereIs(moved) : `${whereIs(moved)}, where its hub controller put it`,
  }
}

const whereIs = (addon: Stored<ManagedClusterAddOn>): string => `in namespace ${installNamespaceOf(addon)}`

/** What is asked of a cluster that is not in the fleet would stay undone, or be undone at once. */
async function mustTakeAddons(cluster: string, { kube, signal }: AddonOperationDeps): Promise<void> {
  const found = await kube.of(ManagedCluster.resource).find(cluster, { signal })
  if (!found) throw failures.ADDON_CLUSTER_UNKNOWN({ cluster })
  if (found.metadata.deletionTimestamp) throw failures.ADDON_CLUSTER_LEAVES({ cluster })
  const isAccepted = found.spec?.hubAcceptsClient && (await kube.of(namespaces).find(cluster, { signal }))
  if (!isAccepted) throw failures.ADDON_CLUSTER_NOT_ACCEPTED({ cluster })
}
