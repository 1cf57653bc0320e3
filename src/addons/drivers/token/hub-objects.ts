import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { addonLabels, clusterGroups, labels } from '../../../fleet/names.ts'
import type { Named } from '../../../fleet/wanted/named.ts'
import type { KubeObject } from '../../../kube/objects.ts'
import { tokenBinding } from './names.ts'

/** What an add-on has in the namespace of its cluster for its tokens. */
export interface TokenObjects {
  account: Named<ServiceAccount>
  role: Named<Role>
  roleBinding: Named<RoleBinding>
}

const rbacGroup = 'rbac.authorization.k8s.io'

export function tokenObjects(
  cluster: string,
  addon: string,
  account: string,
  extra: Readonly<Record<string, string>>,
): TokenObjects {
  const marks = {
    ...extra,
    [labels.clusterName]: cluster,
    [addonLabels.name]: addon,
    [addonLabels.tokenInfrastructure]: 'true',
  }
  const name = tokenBinding(addon)
  return {
    account: { metadata: { name: account, labels: marks } },
    role: {
      metadata: { name, labels: marks },
      rules: [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [account], verbs: ['create'] }],
    },
    roleBinding: {
      metadata: { name, labels: marks },
      subjects: clusterGroups(cluster).map((group) => ({ apiGroup: rbacGroup, kind: 'Group', name: group })),
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name },
    },
  }
}

/** Whether the hub made it for the tokens of this add-on. */
export const isMadeFor = ({ metadata }: KubeObject, addon: string): boolean =>
  metadata?.labels?.[addonLabels.tokenInfrastructure] === 'true' && metadata.labels[addonLabels.name] === addon
