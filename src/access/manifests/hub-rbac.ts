import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { breakglassGroup } from '../../apis/breakglass/common.ts'
import { rule } from '../../fleet/manifests/rbac.ts'
import { auditHeads } from '../names.ts'

const look = ['get', 'list', 'watch']

/**
 * What the hub needs on itself for access, everywhere. Beside what it needs to reach clusters, and without what it needs
 * for that alone.
 */
export const accessHubRules = (): PolicyRule[] => [
  // patch: the label of one that was made by hand. delete: what was kept for long enough.
  rule(breakglassGroup, ['breakglasssessions'], [...look, 'create', 'patch', 'delete']),
  // update: what happens to them. patch: when they were used, and what was told of them.
  rule(breakglassGroup, ['breakglasssessions/status'], ['update', 'patch']),
  rule(breakglassGroup, ['breakglassescalations', 'denypolicies', 'auditconfigs', 'mailproviders'], look),
  rule(
    breakglassGroup,
    ['breakglassescalations/status', 'denypolicies/status', 'auditconfigs/status', 'mailproviders/status'],
    ['patch'],
  ),
  // patch: a cluster does not go before its sessions.
  rule(breakglassGroup, ['clusterconfigs'], [...look, 'patch']),
  rule(breakglassGroup, ['identityproviders'], look),
  // Whichever an AuditConfig, a MailProvider or an IdentityProvider names.
  rule('', ['secrets'], ['get']),
  // Whether whoever names a Secret may read it.
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  rule('', ['events'], ['get', 'create', 'patch']),
]

/** In the namespace of the hub alone. */
export const accessHubNamespaceRules = (): PolicyRule[] => [
  // The digests of webhook tokens. patch: which ClusterConfig they are for.
  rule('', ['secrets'], ['list', 'watch', 'patch']),
  // Where the audit chains are anchored. It is applied, so that to create it is limited to its name too.
  rule('', ['configmaps'], ['get', 'create', 'patch'], [auditHeads]),
]
