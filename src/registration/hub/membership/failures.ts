import { catalogue } from '../../../core/failure.ts'
import { annotations } from '../../../fleet/names.ts'

export const failures = catalogue({
  NAMESPACE_TERMINATING: [
    409,
    'namespace {namespace} is being deleted; what the cluster needs is made again once the namespace is gone, so look for finalizers that hold it',
  ],
  CLUSTER_NAME_RESERVED: [
    422,
    'a cluster cannot be accepted under the name {cluster}, because {detail}; delete the ManagedCluster and join under another name',
  ],
  DRIVER_MISSING: [
    422,
    'cluster {cluster} comes by the registration driver {driver}, which this hub does not run; start it with {driver} in --enabled-registration-drivers, or let the agent join by a driver that it runs',
  ],
  DRIVER_MISSING_FOR_RECORD: [
    409,
    `the registration driver {driver} made something for cluster {cluster} outside of the hub (annotation ${annotations.awsRole} of the cluster and of its namespace), and this hub does not run it; start it with {driver} in --enabled-registration-drivers, or remove what was made by hand and then both annotations`,
  ],
})
