import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { labels } from '../../fleet/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AddonOverview } from './addon-overview.ts'
import { addonOverview } from './addon-overview.ts'

export interface ReadAddons extends CallOptions {
  /** Absent: of all. */
  cluster?: string
  now: Date
}

/** Two lists, whatever the number of add-ons; by cluster, then by name. */
export async function readAddons(kube: Kube, { cluster, now, ...options }: ReadAddons): Promise<AddonOverview[]> {
  const [addons, csrs] = await Promise.all([
    kube.of(ManagedClusterAddOn.resource, cluster).list(options),
    requestsOfAddons(kube, cluster === undefined ? labels.clusterName : `${labels.clusterName}=${cluster}`, options),
  ])
  const byAddon = Map.groupBy(csrs, keyOf)
  return addons.items
    .map((addon) => addonOverview(addon, byAddon.get(`${addon.metadata.namespace}/${addon.metadata.name}`) ?? [], now))
    .toSorted((a, b) => a.cluster.localeCompare(b.cluster) || a.addon.localeCompare(b.addon))
}

/** Those of one add-on; none for a user who may not list them. */
export const requestsOf = (kube: Kube, cluster: string, addon: string, options: CallOptions = {}) =>
  requestsOfAddons(kube, `${labels.clusterName}=${cluster},${labels.addonName}=${addon}`, options)

async function requestsOfAddons(
  kube: Kube,
  ofClusters: string,
  options: CallOptions,
): Promise<Stored<CertificateSigningRequest>[]> {
  try {
    const labelSelector = `${ofClusters},${labels.addonName}`
    return (await kube.of(certificateSigningRequests).list({ ...options, labelSelector })).items
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

const keyOf = ({ metadata }: Stored<CertificateSigningRequest>): string =>
  `${metadata.labels?.[labels.clusterName]}/${metadata.labels?.[labels.addonName]}`
