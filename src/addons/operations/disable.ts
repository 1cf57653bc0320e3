import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Step } from '../../core/step.ts'
import type { AddonOperationDeps, AddonPlace } from './enable.ts'

/** Takes an add-on off a cluster: its credentials on both sides go with it. Repeats well. */
export async function* disableAddon(
  { addon, cluster }: Pick<AddonPlace, 'addon' | 'cluster'>,
  { kube, signal }: AddonOperationDeps,
): AsyncGenerator<Step> {
  yield { doing: `disabling ${addon} on ${cluster}` }
  const addons = kube.of(ManagedClusterAddOn.resource, cluster)
  if (!(await addons.delete(addon, { signal }))) return yield { did: `${addon} is not on ${cluster}` }
  const left = await addons.find(addon, { signal })
  if (!left) return yield { did: `${addon} is off ${cluster}`, detail: 'its credentials go now' }
  const holders = (left.metadata.finalizers ?? []).join(', ')
  yield { did: `${addon} leaves ${cluster}`, detail: holders ? `held by ${holders}` : 'its credentials go with it' }
}
