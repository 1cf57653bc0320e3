import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Run } from '../../core/lifecycle.ts'
import { addonNamespace, agentSecrets } from '../../fleet/names.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '../../kube/kinds.ts'
import type { Key, KubeObject, Resource } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { agentAccount, agentDeployment, agentRole } from '../../registration/manifests/agent.ts'
import type { OperatorDeps } from '../deps.ts'
import { driftWatch, named } from '../drift-watches.ts'
import { bySeniorityIn } from '../seniority.ts'
import { namespaceOf } from './plan.ts'

/** What the controllers of Klusterlets look at. */
export interface KlusterletView {
  readonly klusterlets: Informer<Klusterlet>
  /** Of agents, by namespace. */
  readonly deployments: ReadonlyMap<string, Informer<Deployment>>
  /** Changes of what was made for agents, besides their Deployments. */
  readonly rights: readonly Watching[]
  /** Changes of the Secrets that lead to a hub. */
  readonly credentials: readonly Watching[]
  /** Those that want their agent in this namespace, whoever has it first. */
  inNamespace(namespace: string): Klusterlet[]
  readonly runs: readonly Run[]
}

type Named = { name: string; namespace?: string }

export function klusterletView(deps: OperatorDeps): KlusterletView {
  const { kube, settings } = deps
  const klusterlets = informer(kube.of(Klusterlet.resource), { ...deps, transform: withoutManagedFields })
  const inNamespace = (namespace: string) =>
    klusterlets
      .list()
      .filter((one) => namespaceOf(one) === namespace)
      .sort(bySeniorityIn(namespace) as (a: Klusterlet, b: Klusterlet) => number)
  const keysIn = (namespace: string): Key[] => inNamespace(namespace).map(({ metadata }) => `${metadata?.name}`)
  const watch = (resource: Resource<KubeObject>, { name, namespace }: Named, keys: () => readonly Key[]) =>
    driftWatch(deps, resource, { ...(namespace !== undefined && { namespace }), ...named(name) }, keys)

  const ofAgents = new Map(
    settings.agentNamespaces.map((namespace) => [
      namespace,
      informer(kube.of(deployments, namespace), {
        ...deps,
        ...named(agentDeployment),
        transform: withoutManagedFields,
      }),
    ]),
  )
  const rights = settings.agentNamespaces.flatMap((namespace) => {
    const keys = () => keysIn(namespace)
    const role = agentRole(namespace)
    return [
      watch(serviceAccounts, { namespace, name: agentAccount }, keys),
      watch(roles, { namespace, name: agentAccount }, keys),
      watch(roleBindings, { namespace, name: agentAccount }, keys),
      watch(clusterRoles, { name: role }, keys),
      watch(clusterRoleBindings, { name: role }, keys),
      watch(roles, { namespace: addonNamespace, name: role }, keys),
      watch(roleBindings, { namespace: addonNamespace, name: role }, keys),
    ]
  })
  const credentials = settings.agentNamespaces.flatMap((namespace) =>
    Object.values(agentSecrets).map((name) => watch(secrets, { namespace, name }, () => keysIn(namespace))),
  )
  return {
    klusterlets,
    deployments: ofAgents,
    rights: rights.map(({ watching }) => watching),
    credentials: credentials.map(({ watching }) => watching),
    inNamespace,
    runs: [klusterlets, ...ofAgents.values(), ...rights, ...credentials].map(({ run }) => run),
  }
}
