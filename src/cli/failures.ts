import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  GATE_UNKNOWN: [400, 'there is no feature gate {gate}; --feature-gates knows {known}'],
  GATE_FIXED: [400, 'the feature gate {gate} is always {fixed} in this version; leave it out of --feature-gates'],
  DRIVER_UNKNOWN: [400, 'there is no registration driver {driver}; {flag} takes {known}'],
  DRIVER_LATER: [
    501,
    'the registration driver {driver} comes with a later version of Lanyard, which brings {work}; {flag} takes {known} in this one',
  ],
  FLAG_LATER: [501, '{flag} comes with a later version of Lanyard; leave it out'],
  DRIVER_NEEDS_FLAG: [400, 'with --registration-auth={driver} the hub must be named; add {flag} ARN'],
  APPROVAL_WITHOUT_GATE: [
    400,
    '{flag} has no effect while the feature gate ManagedClusterAutoApproval is off; add --feature-gates=ManagedClusterAutoApproval=true',
  ],
  GC_RESOURCE_INVALID: [
    400,
    '{text} in --gc-resource-list is not of the form group/version/plural, such as work.open-cluster-management.io/v1/manifestworks',
  ],
  AGENT_NO_BOOTSTRAP: [
    400,
    'the agent has nothing to ask a hub with; give a bootstrap kubeconfig with --bootstrap-kubeconfig',
  ],
  AGENT_ONE_HUB: [
    400,
    'the feature gate MultipleHubs needs at least two bootstrap kubeconfigs; repeat --bootstrap-kubeconfigs, or turn the gate off',
  ],
  CHECKPOINT_UNKNOWN: [400, 'LANYARD_KILL_AT names {name}, which is no checkpoint; those that are: {known}'],
  FILE_UNREADABLE: [400, 'cannot read {path}, which {flag} names ({detail}); check the path'],
  FILE_UNWRITABLE: [400, 'cannot write {path}, which {flag} names ({detail}); check the path'],
  CA_UNREADABLE: [400, 'there is no certificate in {path}, which {flag} names; give a PEM file with the CA of the hub'],
  HUB_NOT_PREPARED: [
    409,
    'the hub at {server} has no account {account} that clusters could join with; prepare it first with `lanyard init`',
  ],
  CRD_NOT_SERVED: [
    504,
    'the hub did not serve {kinds} within {seconds} s; look at its status, then repeat this command',
  ],
  HUB_NOT_READY: [
    504,
    'the Deployment {deployment} in namespace {namespace} was not available within {seconds} s; look at its pods with `kubectl -n {namespace} get pods`, then repeat this command',
  ],
  CA_SECRET_DAMAGED: [
    409,
    'the Secret {secret} in namespace {namespace} holds no usable CA; delete it and repeat `lanyard init`, then restart the hub',
  ],
  JOIN_NO_TOKEN: [
    400,
    'a token of the hub is needed; `lanyard token` on the hub prints one, give it with --hub-token-file (- for standard input)',
  ],
  JOIN_BAD_NAME: [
    400,
    '{name} cannot be the name of a cluster; give --cluster-name with at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit',
  ],
  JOIN_RESERVED_NAME: [400, 'no cluster can be called {name}, because {why}; give another --cluster-name'],
  JOIN_BAD_URL: [400, '{flag} must be an https URL such as https://hub.example.com:6443, and is {url}'],
  JOIN_BAD_ANNOTATION: [
    400,
    'agents may set only annotations that begin with {prefix}; change {key} in --klusterlet-annotation',
  ],
  JOIN_NO_CLUSTER_INFO: [
    404,
    'the hub at {server} does not tell its CA in public ({detail}); run `lanyard init` on it again, or pass its CA with --ca-file',
  ],
  JOIN_PIN_MISMATCH: [
    403,
    'the CA that {server} shows is not the one of --ca-pin, so nothing was sent to it; compare the address and the pin with what `lanyard token` prints on the hub',
  ],
  JOIN_UNSIGNED: [
    403,
    'what {server} says of its CA is not signed with the token, so nothing was sent to it; pass --ca-pin or --ca-file, as `lanyard token` prints on the hub',
  ],
  JOIN_HUB_UNTRUSTED: [
    403,
    'nobody vouches for {server}, so the token was not sent to it ({detail}); pass --ca-pin or --ca-file, as `lanyard token` prints on the hub',
  ],
  JOIN_HUB_UNREACHABLE: [
    503,
    'the hub cannot be reached at {server} ({detail}); check --hub-apiserver; if only the cluster reaches it, add --skip-hub-check and give its CA with --ca-file',
  ],
  JOIN_TOKEN_REFUSED: [
    401,
    'the hub at {server} does not know the token, which may have expired; make a new one with `lanyard token` on the hub',
  ],
  JOIN_TOKEN_POWERLESS: [
    403,
    'with this token the hub at {server} does not allow to {what}; run `lanyard init` on the hub again, or use a token that `lanyard token` printed there',
  ],
  JOIN_LATE: [504, '{cluster} has not joined within {seconds} s: {missing}'],
})
