/** What Lanyard's own control plane serves of what a real one does. A name with a slash is a subresource. */
export const served: Readonly<Record<string, readonly string[]>> = {
  v1: [
    'configmaps',
    'endpoints',
    'events',
    'namespaces',
    'namespaces/finalize',
    'namespaces/status',
    'nodes',
    'nodes/status',
    'pods',
    'pods/status',
    'secrets',
    'serviceaccounts',
    'serviceaccounts/token',
    'services',
    'services/status',
  ],
  'admissionregistration.k8s.io/v1': ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  'apiextensions.k8s.io/v1': ['customresourcedefinitions', 'customresourcedefinitions/status'],
  'apps/v1': [
    'daemonsets',
    'daemonsets/status',
    'deployments',
    'deployments/scale',
    'deployments/status',
    'replicasets',
    'replicasets/scale',
    'replicasets/status',
  ],
  'authentication.k8s.io/v1': ['selfsubjectreviews', 'tokenreviews'],
  'authorization.k8s.io/v1': [
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ],
  'certificates.k8s.io/v1': [
    'certificatesigningrequests',
    'certificatesigningrequests/approval',
    'certificatesigningrequests/status',
  ],
  'coordination.k8s.io/v1': ['leases'],
  'events.k8s.io/v1': ['events'],
  'rbac.authorization.k8s.io/v1': ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
}

/** Kinds that are sent and answered but are no resources. */
export const furtherKinds: readonly string[] = [
  'authentication.k8s.io/v1/TokenRequest',
  'autoscaling/v1/Scale',
  'v1/DeleteOptions',
  'v1/Status',
]

export const groupPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
