import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { addonNamespace, addonSecretsConfigMap } from '../../fleet/names.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { AgentInstallation } from './agent.ts'

type Wish = Pick<AgentInstallation, 'namespace' | 'featureGates' | 'addonNamespaces'>

/** None where the agent leaves add-ons alone. */
const namespacesOf = ({ featureGates, addonNamespaces = [addonNamespace] }: Wish): string[] =>
  featureGates?.['AddonManagement'] === false ? [] : [...addonNamespaces]

/** Where add-ons are installed. They have to be there before the rights in them. */
export const addonNamespaceManifests = (wish: Wish): Manifest[] =>
  namespacesOf(wish).map((name) => manifest(namespaces, { metadata: { name, labels: { ...managedBy } } }))

/** What an agent may do for add-ons. */
export function agentAddonRules(wish: Wish): {
  /** In its own namespace: it keeps in mind there which Secrets it made. */
  own: PolicyRule[]
  /** Everywhere: a namespace that is missing is waited for. */
  cluster: PolicyRule[]
  /** In each namespace of add-ons: their credentials, which no rule can name, and how they are doing. */
  within: PolicyRule[]
} {
  const places = namespacesOf(wish)
  if (places.length === 0) return { own: [], cluster: [], within: [] }
  return {
    own: [rule('', ['configmaps'], ['get', 'patch'], [addonSecretsConfigMap])],
    cluster: [rule('', ['namespaces'], ['list', 'watch'], places)],
    within: [
      rule('', ['secrets'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
      rule('coordination.k8s.io', ['leases'], ['list', 'watch']),
    ],
  }
}

/** By namespace, and not everywhere: an agent that may read every Secret of a cluster could do anything there. */
export const addonRbacManifests = (wish: Wish, role: string, account: string): Manifest[] =>
  namespacesOf(wish).flatMap((namespace) =>
    boundRole(namespace, role, agentAddonRules(wish).within, [serviceAccount(wish.namespace, account)]),
  )
