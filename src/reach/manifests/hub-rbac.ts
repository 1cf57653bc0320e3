import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { breakglassGroup } from '../../apis/breakglass/common.ts'
import { rule } from '../../fleet/manifests/rbac.ts'

const look = ['get', 'list', 'watch']
const rbacGroup = 'rbac.authorization.k8s.io'

/**
 * What the hub needs on itself for reach. A role of its own, bound by whoever installs the hub: a hub that gets into no
 * cluster has no business with Secrets. What it only grants is marked: Kubernetes lets nobody give away a right they do
 * not have.
 */
export const reachHubRules = (): PolicyRule[] => [
  // create and delete: for what agents hand over. patch: the confirmation of a CA that has served is taken off.
  rule(breakglassGroup, ['clusterconfigs'], [...look, 'create', 'patch', 'delete']),
  rule(breakglassGroup, ['clusterconfigs/status'], ['patch']),
  // get: whether one that a ClusterConfig names is there.
  rule(breakglassGroup, ['identityproviders'], look),
  rule(breakglassGroup, ['identityproviders/status'], ['patch']),
  // Whichever a ClusterConfig or an IdentityProvider names. create and update: a CA that is trusted on first use.
  // create, patch and delete: what agents write into. get, list, watch and patch of that one are granted.
  rule('', ['secrets'], [...look, 'create', 'update', 'patch', 'delete']),
  // For their agents to write the Secret, and no other.
  rule(rbacGroup, ['roles', 'rolebindings'], [...look, 'create', 'patch', 'delete']),
  // Whether whoever names a Secret may read it.
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  rule('', ['events'], ['get', 'create', 'patch']),
]
