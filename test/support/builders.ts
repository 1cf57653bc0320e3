/** Objects for tests: the least that the API accepts, and what the test cares about. */
import type { Lease, LeaseSpec } from 'kubernetes-types/coordination/v1.d.ts'
import type { ConfigMap, Namespace, Secret, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from 'kubernetes-types/rbac/v1.d.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { KubeObject } from '../../src/kube/objects.ts'

type Named<T extends KubeObject> = T & { apiVersion: string; kind: string; metadata: { name: string } }

/** Other tests may use the same control plane at the same time. */
export const uniqueName = (prefix: string): string => `${prefix}-${systemRandom.suffix(8)}`

export const aNamespace = (name = uniqueName('test')): Named<Namespace> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

export const aConfigMap = (name = uniqueName('config'), data: Record<string, string> = {}): Named<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

/** Takes plain text and encodes it. */
export const aSecret = (name = uniqueName('secret'), data: Record<string, string> = {}): Named<Secret> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

export interface BootstrapTokenInput {
  /** Six characters. */
  id: string
  /** Sixteen. */
  secret: string
  /** Each must begin with `system:bootstrappers:`. */
  groups?: readonly string[]
  expiresAt?: Date
}

/** What lets `<id>.<secret>` authenticate. Lives in kube-system. */
export const aBootstrapToken = ({ id, secret, groups, expiresAt }: BootstrapTokenInput): Named<Secret> => ({
  ...aSecret(`bootstrap-token-${id}`, {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    ...(groups && { 'auth-extra-groups': groups.join(',') }),
    ...(expiresAt && { expiration: expiresAt.toISOString() }),
  }),
  type: 'bootstrap.kubernetes.io/token',
})

export const aServiceAccount = (name = uniqueName('account')): Named<ServiceAccount> => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name },
})

export const aLease = (name = uniqueName('lease'), spec: LeaseSpec = {}): Named<Lease> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec,
})

const rbac = 'rbac.authorization.k8s.io'

export const aRole = (name: string, ...rules: PolicyRule[]): Named<Role> => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name },
  rules,
})

export const aClusterRole = (name: string, ...rules: PolicyRule[]): Named<ClusterRole> => ({
  ...aRole(name, ...rules),
  kind: 'ClusterRole',
})

/** Binds the Role of the same name. */
export const aRoleBinding = (name: string, ...subjects: Subject[]): Named<RoleBinding> => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'Role', name },
  subjects,
})

/** Binds the ClusterRole of the same name. */
export const aClusterRoleBinding = (name: string, ...subjects: Subject[]): Named<ClusterRoleBinding> => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  subjects,
})

export const aUser = (name: string): Subject => ({ apiGroup: rbac, kind: 'User', name })
export const aGroup = (name: string): Subject => ({ apiGroup: rbac, kind: 'Group', name })
