import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { ClusterManager } from '../../apis/operator/cluster-manager.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  mutatingWebhookConfigurations,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '../../kube/kinds.ts'
import type { Key } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { hubService } from '../../registration/manifests/hub.ts'
import { hubAccount, hubRole } from '../../registration/manifests/hub-rbac.ts'
import { webhookConfigurationName } from '../../registration/manifests/webhooks.ts'
import type { OperatorDeps } from '../deps.ts'
import { driftWatch, named } from '../drift-watches.ts'
import { bySeniorityIn } from '../seniority.ts'

/** What the controllers of ClusterManagers look at. */
export interface ClusterManagerView {
  readonly managers: Informer<ClusterManager>
  readonly deployments: Informer<Deployment>
  /** Changes of what was made for the hub, besides its Deployment. */
  readonly rest: readonly Watching[]
  keys(): Key[]
  /** Whoever has the hub: a cluster is one. */
  first(): string | undefined
  readonly runs: readonly Run[]
}

export function clusterManagerView(deps: OperatorDeps): ClusterManagerView {
  const { kube, settings } = deps
  const namespace = settings.hubNamespace
  const managers = informer(kube.of(ClusterManager.resource), { ...deps, transform: withoutManagedFields })
  const ofHub = informer(kube.of(deployments, namespace), {
    ...deps,
    ...named(hubService),
    transform: withoutManagedFields,
  })
  const keys = () => managers.list().map(({ metadata }) => metadata.name)
  const rest = [
    driftWatch(deps, serviceAccounts, { namespace, ...named(hubAccount) }, keys),
    driftWatch(deps, services, { namespace, ...named(hubService) }, keys),
    driftWatch(deps, clusterRoles, named(hubRole), keys),
    driftWatch(deps, clusterRoleBindings, named(hubRole), keys),
    driftWatch(deps, mutatingWebhookConfigurations, named(webhookConfigurationName), keys),
    driftWatch(deps, validatingWebhookConfigurations, named(webhookConfigurationName), keys),
  ]
  return {
    managers,
    deployments: ofHub,
    rest: rest.map(({ watching }) => watching),
    keys,
    first: () =>
      managers.list().sort(bySeniorityIn(namespace) as (a: ClusterManager, b: ClusterManager) => number)[0]?.metadata
        .name,
    runs: [managers, ofHub, ...rest].map(({ run }) => run),
  }
}
