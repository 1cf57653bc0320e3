/** What a real API server has and this one has not: docs/embedded.md says which kinds are served. */
export interface KindNotServed {
  plural: string
  short?: string
  apiVersion: string
  kind: string
  namespaced?: true
  /** Absent: all of them. */
  verbs?: string
  categories?: string
}

export const kindsNotServed: readonly KindNotServed[] = [
  { plural: 'bindings', apiVersion: 'v1', kind: 'Binding', namespaced: true, verbs: 'create' },
  { plural: 'componentstatuses', short: 'cs', apiVersion: 'v1', kind: 'ComponentStatus', verbs: 'get,list' },
  { plural: 'limitranges', short: 'limits', apiVersion: 'v1', kind: 'LimitRange', namespaced: true },
  { plural: 'persistentvolumeclaims', short: 'pvc', apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespaced: true },
  { plural: 'persistentvolumes', short: 'pv', apiVersion: 'v1', kind: 'PersistentVolume' },
  { plural: 'podtemplates', apiVersion: 'v1', kind: 'PodTemplate', namespaced: true },
  {
    plural: 'replicationcontrollers',
    short: 'rc',
    apiVersion: 'v1',
    kind: 'ReplicationController',
    namespaced: true,
    categories: 'all',
  },
  { plural: 'resourcequotas', short: 'quota', apiVersion: 'v1', kind: 'ResourceQuota', namespaced: true },
  {
    plural: 'mutatingadmissionpolicies',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    categories: 'api-extensions',
  },
  {
    plural: 'mutatingadmissionpolicybindings',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    categories: 'api-extensions',
  },
  {
    plural: 'validatingadmissionpolicies',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    categories: 'api-extensions',
  },
  {
    plural: 'validatingadmissionpolicybindings',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    categories: 'api-extensions',
  },
  { plural: 'apiservices', apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', categories: 'api-extensions' },
  { plural: 'controllerrevisions', apiVersion: 'apps/v1', kind: 'ControllerRevision', namespaced: true },
  {
    plural: 'statefulsets',
    short: 'sts',
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    namespaced: true,
    categories: 'all',
  },
  {
    plural: 'horizontalpodautoscalers',
    short: 'hpa',
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    namespaced: true,
    categories: 'all',
  },
  { plural: 'cronjobs', short: 'cj', apiVersion: 'batch/v1', kind: 'CronJob', namespaced: true, categories: 'all' },
  { plural: 'jobs', apiVersion: 'batch/v1', kind: 'Job', namespaced: true, categories: 'all' },
  { plural: 'endpointslices', apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespaced: true },
  { plural: 'flowschemas', apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema' },
  {
    plural: 'prioritylevelconfigurations',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
  },
  { plural: 'ingressclasses', apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' },
  { plural: 'ingresses', short: 'ing', apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespaced: true },
  { plural: 'ipaddresses', short: 'ip', apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress' },
  {
    plural: 'networkpolicies',
    short: 'netpol',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    namespaced: true,
  },
  { plural: 'servicecidrs', apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR' },
  { plural: 'runtimeclasses', apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass' },
  {
    plural: 'poddisruptionbudgets',
    short: 'pdb',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    namespaced: true,
  },
  { plural: 'deviceclasses', apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass' },
  { plural: 'resourceclaims', apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', namespaced: true },
  {
    plural: 'resourceclaimtemplates',
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
  },
  { plural: 'resourceslices', apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice' },
  { plural: 'priorityclasses', short: 'pc', apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
  { plural: 'csidrivers', apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver' },
  { plural: 'csinodes', apiVersion: 'storage.k8s.io/v1', kind: 'CSINode' },
  { plural: 'csistoragecapacities', apiVersion: 'storage.k8s.io/v1', kind: 'CSIStorageCapacity', namespaced: true },
  { plural: 'storageclasses', short: 'sc', apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
  { plural: 'volumeattachments', apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' },
  { plural: 'volumeattributesclasses', short: 'vac', apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttributesClass' },
]

/** Groups and versions of which nothing is served. */
export const groupVersionsNotServed: readonly string[] = [
  'apiregistration.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'discovery.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'resource.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
]
