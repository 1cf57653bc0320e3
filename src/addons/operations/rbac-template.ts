import { addonAccounts, addonGroup } from '../../fleet/names.ts'
import { checkAddonName, checkPlace } from './names.ts'

/** In place of the name of a cluster, where none is given. */
export const anyCluster = 'CLUSTER'

/** What an add-on may do on the hub, as manifests to fill in. */
export interface RbacTemplate {
  readonly role: object
  readonly binding: object
  /** The same with comments that say what to change. */
  readonly yaml: string
}

/**
 * The right that somebody has to give an add-on: a Role in the namespace of its cluster, bound to the add-on whether it
 * comes by token or by certificate. Asks no hub.
 */
export function rbacTemplate(addon: string, cluster: string = anyCluster): RbacTemplate {
  checkAddonName(addon)
  if (cluster !== anyCluster) checkPlace('cluster', cluster)
  const [account, accountOfTheField] = addonAccounts(cluster, addon)
  const group = addonGroup(cluster, addon)
  const name = `open-cluster-management:${addon}:agent`
  const apiGroup = 'rbac.authorization.k8s.io'
  const apiVersion = `${apiGroup}/v1`
  const metadata = { name, namespace: cluster }
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  const subjects = [
    { kind: 'ServiceAccount', namespace: cluster, name: account },
    { apiGroup, kind: 'Group', name: group },
  ]
  const roleRef = { apiGroup, kind: 'Role', name }
  const fill =
    cluster === anyCluster
      ? `# One for each cluster: put its name in place of ${anyCluster}, or let \`lanyard addon rbac ${addon} --cluster NAME\` do it.\n`
      : ''
  return {
    role: { apiVersion, kind: 'Role', metadata, rules },
    binding: { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects },
    yaml: `# What the add-on ${addon} may do on the hub, in the namespace of its cluster and nowhere else.
${fill}# Then, on the hub: kubectl apply -f FILE
apiVersion: ${apiVersion}
kind: Role
metadata:
  name: ${name}
  namespace: ${cluster}
rules:
  # An example. List what the add-on calls, and no more: whoever steals its credential can do all of it.
  - apiGroups: [""]
    resources: [configmaps]
    verbs: [get, list, watch]
---
apiVersion: ${apiVersion}
kind: RoleBinding
metadata:
  name: ${name}
  namespace: ${cluster}
roleRef:
  apiGroup: ${apiGroup}
  kind: Role
  name: ${name}
subjects:
  # The add-on with a token. A hub of the field may announce ${accountOfTheField} instead: bind that one there.
  - kind: ServiceAccount
    namespace: ${cluster}
    name: ${account}
  # The add-on with a certificate, unless its registration names other groups: \`lanyard describe addon ${cluster}/${addon}\`
  # shows them. Take out the subject that you do not need.
  - apiGroup: ${apiGroup}
    kind: Group
    name: ${group}
`,
  }
}
