import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  WEBHOOK_TOKEN_EXISTS: [
    409,
    'the webhook of {cluster} has a token already, and nobody can show it again; make another with --rotate, the one in use stays good for a while',
  ],
  WEBHOOK_TOKEN_FOREIGN: [
    409,
    'the Secret {namespace}/{name} does not hold the webhook tokens of {cluster}; remove it, or put back what was there',
  ],
  WEBHOOK_CLUSTER_AMBIGUOUS: [
    409,
    'several namespaces have a ClusterConfig {cluster}; a token is made for it once all but one are gone',
  ],
  WEBHOOK_TOKEN_BUSY: [409, 'the tokens of {cluster} are just being changed by others; try again'],
})
