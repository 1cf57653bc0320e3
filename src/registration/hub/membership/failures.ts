import { catalogue } from '../../../core/failure.ts'

export const failures = catalogue({
  NAMESPACE_TERMINATING: [
    409,
    'namespace {namespace} is being deleted; what the cluster needs is made again once the namespace is gone, so look for finalizers that hold it',
  ],
  CLUSTER_NAME_RESERVED: [
    422,
    'a cluster cannot be accepted under the name {cluster}, because {detail}; delete the ManagedCluster and join under another name',
  ],
})
