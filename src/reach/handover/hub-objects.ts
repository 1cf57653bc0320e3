import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { clusterGroups, labels } from '../../fleet/names.ts'
import { handoverSecret, secretKeys, spokeLabels } from '../../fleet/spoke/names.ts'
import type { Named } from '../../fleet/wanted/named.ts'
import type { KubeObject } from '../../kube/objects.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

/** In the namespace of a cluster, for what its agent hands over. All but the ClusterConfig have the same name. */
export interface HandoverObjects {
  /** Empty: only the agent writes into it. */
  secret: Named<Secret>
  role: Named<Role>
  roleBinding: Named<RoleBinding>
  config: Named<ClusterConfig>
}

export function handoverObjects(cluster: string, extra: Readonly<Record<string, string>>): HandoverObjects {
  const marks = { ...extra, [labels.clusterName]: cluster, [spokeLabels.handover]: 'true' }
  const metadata = { name: handoverSecret, labels: marks }
  return {
    secret: { metadata, type: 'Opaque' },
    // list and watch by name: to hear of it when somebody empties the Secret. No create, no delete: it is the hub's.
    role: { metadata, rules: [handoverRule] },
    roleBinding: {
      metadata,
      subjects: clusterGroups(cluster).map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name: handoverSecret },
    },
    config: {
      metadata: { name: cluster, labels: { ...marks, [spokeLabels.cluster]: cluster } },
      spec: {
        authType: 'Kubeconfig',
        kubeconfigSecretRef: { name: handoverSecret, namespace: cluster, key: secretKeys.kubeconfig[0] },
      },
    },
  }
}

/** What the agents of a cluster may do with the Secret, and with no other. */
export const handoverRule = {
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames: [handoverSecret],
  verbs: ['get', 'list', 'watch', 'patch'],
}

export const isOurs = ({ metadata }: KubeObject): boolean => metadata?.labels?.[spokeLabels.handover] === 'true'

/** Whether an agent has put anything there. What it is, is looked at when it is used. */
export const holdsKubeconfig = ({ data }: Secret): boolean => Boolean(data?.[secretKeys.kubeconfig[0]])
