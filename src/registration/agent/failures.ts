import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  AGENT_CLUSTER_NAME_INVALID: [
    400,
    '{origin} gives this cluster the name {name}; use at most 63 lower-case letters, digits and dashes, with a letter or digit at both ends',
  ],
  AGENT_NAME_INVALID: [
    400,
    '{origin} gives this agent the name {name}; use at most 63 lower-case letters, digits and dashes, with a letter or digit at both ends',
  ],
  AGENT_BOOTSTRAP_MISSING: [
    404,
    'there is no bootstrap kubeconfig ({looked}); put one there, and the agent takes it up by itself',
  ],
})
