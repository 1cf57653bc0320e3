/** What can be wrong between a cluster and its hub. The id is stable: docs, tests and programs go by it. */
export const causes = {
  'wrong-hub-url': 'The address of the hub that the agent was given does not lead to a Kubernetes API.',
  'wrong-hub-ca': 'The hub at that address shows a certificate that the agent was not told to trust.',
  'bootstrap-token-expired': 'The hub does not take the bootstrap token any more.',
  'bootstrap-rights-missing': 'The bootstrap identity may not do what joining takes.',
  'bootstrap-missing': 'The agent has no usable bootstrap kubeconfig.',
  'cluster-unknown': 'The hub has never heard of the cluster.',
  'csr-pending': 'The certificate request of the agent waits for approval.',
  'csr-denied': 'The certificate request of the agent was denied.',
  'csr-not-signed': 'The certificate request is approved, but nobody signs it.',
  'not-accepted': 'The hub has not accepted the cluster.',
  denied: 'The hub accepted the cluster once and denies it now.',
  'duplicate-agent': 'A second agent asks for the name of a cluster whose agent is alive.',
  'clock-skew': 'The clocks of the cluster and of the hub differ.',
  'rights-missing': 'Rights that an accepted cluster should have are not there.',
  'aws-access-missing': 'The hub has not given the accepted cluster its way in by AWS IAM.',
  'aws-agent-not-in': 'The accepted cluster has its way in by AWS IAM, and its agent does not use it.',
  'aws-agent-waits': 'The agent, which comes by AWS IAM, has no kubeconfig for the hub yet.',
  'hub-idle': 'The hub does not act on the cluster: its controllers do not run.',
  'agent-down': 'The agent of the cluster does not report.',
  'api-server-down': 'The API server of the cluster does not answer its agent.',
  'certificate-expired': 'The certificate of the agent has run out.',
  leaving: 'The cluster is being removed from the hub.',
} as const

export type CauseId = keyof typeof causes

export interface Finding {
  readonly id: CauseId
  /** What shows it. Never a secret. */
  readonly evidence: string
  /** The next thing to do, with the command where there is one. */
  readonly fix: string
}
