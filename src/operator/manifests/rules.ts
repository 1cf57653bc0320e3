import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { rule } from '../../fleet/manifests/rbac.ts'

/** The rules of the roles among these manifests, everywhere or in one namespace: whoever gives them needs them. */
export const rulesIn = (manifests: readonly Manifest[], namespace?: string): PolicyRule[] =>
  manifests
    .filter(({ object }) => object.kind === (namespace === undefined ? 'ClusterRole' : 'Role'))
    .filter(({ object }) => object.metadata.namespace === namespace)
    .flatMap(({ object }) => (object as ClusterRole).rules ?? [])

/** For what is applied: then the name of what is missing is in the request, so that to create it is limited to names too. */
export const keepNamed = (group: string, resource: string, names: string[]): PolicyRule =>
  rule(group, [resource], ['get', 'list', 'watch', 'create', 'patch', 'delete'], names)
