import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  ACCESS_CLUSTER_AMBIGUOUS: [
    500,
    'several namespaces have a ClusterConfig {cluster}; nothing is decided for it until all but one are gone',
  ],
  ACCESS_NOT_READY: [503, 'clusters and sessions have not been read yet; ask again in a moment'],
  ACCESS_REVIEW_LATE: [504, 'the cluster {cluster} did not say within {deadlineMs} ms whether a group may'],
})
