import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { keptRequest } from '../../fleet/csr/kept.ts'
import { addonLabels, labels } from '../../fleet/names.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { certificateSigningRequests, roleBindings, roles, serviceAccounts } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../kube/objects.ts'

/** What the hub's controllers for add-ons look at, watched once for all of them. */
export interface AddonHubView {
  readonly addons: Informer<ManagedClusterAddOn, 'cluster'>
  /** What the hub made for tokens. So are the next two. */
  readonly accounts: Informer<ServiceAccount>
  readonly roles: Informer<Role>
  readonly roleBindings: Informer<RoleBinding>
  /** Of add-ons: those with the labels of a cluster and of an add-on. By `<cluster>/<addon>`. */
  readonly csrs: Informer<CertificateSigningRequest, 'addon'>
  readonly run: Run
}

const madeForTokens = `${addonLabels.tokenInfrastructure}=true`
const ofAddons = `${labels.clusterName},${labels.addonName}`

/** The key of the add-on that a request names in its labels: a hint, which whoever decides checks. */
export const addonKeyOf = ({ metadata }: Stored<CertificateSigningRequest>): string =>
  `${metadata.labels?.[labels.clusterName] ?? ''}/${metadata.labels?.[labels.addonName] ?? ''}`

export function addonHubView(kube: Kube, deps: { clock: Clock; random: Random; log: Log }): AddonHubView {
  const common = (kind: string) => ({ ...deps, log: deps.log.child({ kind }) })
  const forTokens = <T extends KubeObject>(resource: Resource<T>) =>
    informer(kube.of(resource), {
      ...common(resource.kind),
      transform: withoutManagedFields,
      labelSelector: madeForTokens,
    })
  const view = {
    addons: informer(kube.of(ManagedClusterAddOn.resource), {
      ...common('ManagedClusterAddOn'),
      transform: withoutManagedFields,
      indexes: { cluster: ({ metadata }) => [metadata.namespace ?? ''] },
    }),
    accounts: forTokens(serviceAccounts),
    roles: forTokens(roles),
    roleBindings: forTokens(roleBindings),
    csrs: informer(kube.of(certificateSigningRequests), {
      ...common('CertificateSigningRequest'),
      transform: keptRequest,
      labelSelector: ofAddons,
      indexes: { addon: (csr) => [addonKeyOf(csr)] },
    }),
  }
  return {
    ...view,
    run: (signal) =>
      runTogether(
        signal,
        Object.values(view).map(({ run }) => run),
      ),
  }
}
