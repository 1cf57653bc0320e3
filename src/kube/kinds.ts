/** The built-in kinds Lanyard reads or writes, addressed and typed. Custom ones are declared in `src/apis/`. */
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { TokenReview } from 'kubernetes-types/authentication/v1.d.ts'
import type { SelfSubjectAccessReview, SubjectAccessReview } from 'kubernetes-types/authorization/v1.d.ts'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type {
  ConfigMap,
  Event,
  Namespace,
  Node,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.d.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { resource } from './objects.ts'

const clusterWide = { namespaced: false }

export const configMaps = resource<ConfigMap>('v1', 'ConfigMap', 'configmaps')
export const events = resource<Event>('v1', 'Event', 'events')
export const namespaces = resource<Namespace>('v1', 'Namespace', 'namespaces', clusterWide)
export const nodes = resource<Node>('v1', 'Node', 'nodes', clusterWide)
export const pods = resource<Pod>('v1', 'Pod', 'pods')
export const secrets = resource<Secret>('v1', 'Secret', 'secrets')
export const serviceAccounts = resource<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts')
export const services = resource<Service>('v1', 'Service', 'services')

export const deployments = resource<Deployment>('apps/v1', 'Deployment', 'deployments')
export const leases = resource<Lease>('coordination.k8s.io/v1', 'Lease', 'leases')

const certificates = 'certificates.k8s.io/v1'
export const certificateSigningRequests = resource<CertificateSigningRequest>(
  certificates,
  'CertificateSigningRequest',
  'certificatesigningrequests',
  clusterWide,
)

const rbac = 'rbac.authorization.k8s.io/v1'
export const roles = resource<Role>(rbac, 'Role', 'roles')
export const roleBindings = resource<RoleBinding>(rbac, 'RoleBinding', 'rolebindings')
export const clusterRoles = resource<ClusterRole>(rbac, 'ClusterRole', 'clusterroles', clusterWide)
export const clusterRoleBindings = resource<ClusterRoleBinding>(
  rbac,
  'ClusterRoleBinding',
  'clusterrolebindings',
  clusterWide,
)

export const customResourceDefinitions = resource<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  clusterWide,
)

const admission = 'admissionregistration.k8s.io/v1'
export const mutatingWebhookConfigurations = resource<MutatingWebhookConfiguration>(
  admission,
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  clusterWide,
)
export const validatingWebhookConfigurations = resource<ValidatingWebhookConfiguration>(
  admission,
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  clusterWide,
)

// Reviews are questions: only `create` means anything, and the answer is in `status` of what it returns.
const authorization = 'authorization.k8s.io/v1'
export const tokenReviews = resource<TokenReview>(
  'authentication.k8s.io/v1',
  'TokenReview',
  'tokenreviews',
  clusterWide,
)
export const subjectAccessReviews = resource<SubjectAccessReview>(
  authorization,
  'SubjectAccessReview',
  'subjectaccessreviews',
  clusterWide,
)
export const selfSubjectAccessReviews = resource<SelfSubjectAccessReview>(
  authorization,
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  clusterWide,
)
