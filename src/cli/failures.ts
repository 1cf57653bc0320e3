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
  PULL_SERVER_UNKNOWN: [
    404,
    'no pull secret service runs from {data}; start one with `lanyard pull-secrets serve`, give its folder with --data, or its address with --server',
  ],
  PULL_SERVER_AWAY: [
    503,
    'the pull secret service does not answer at {server} ({detail}); start it with `lanyard pull-secrets serve`, or give another address with --server',
  ],
  PULL_SERVER_REFUSED: [400, '{said}'],
  PULL_REVEAL_NEEDED: [400, 'a Secret holds the tokens; add --reveal to print them'],
  PULL_NONE_THERE: [
    404,
    'cluster {cluster} has no credentials; give it some with `lanyard pull-secrets generate {cluster} --provider … --region …`',
  ],
  PULL_NOT_NAMED: [400, 'name a cluster, or {verb} every one with --all'],
  PULL_NAMED_AND_ALL: [400, 'name a cluster or give --all, not both'],
  PULL_POOL_VERB: [400, '`lanyard pull-secrets pool` shows them, `lanyard pull-secrets pool fill REGISTRY` fills one'],
  PULL_ROTATION_VERB: [400, 'a rotation can be confirmed or cancelled; {verb} is neither'],
  PULL_NO_OPEN_ROTATION: [
    404,
    'no rotation of cluster {cluster} is open; `lanyard pull-secrets rotations {cluster}` lists those that were',
  ],
  PULL_ROTATION_ENDED: [
    409,
    'the rotation of cluster {cluster} has {status} ({detail}); the old credentials are still served, try again with `lanyard pull-secrets rotate {cluster}`',
  ],
  PULL_ROTATION_LATE: [
    504,
    'cluster {cluster} had no new credentials within {seconds} s; it goes on, look with `lanyard pull-secrets rotations {cluster}`',
  ],
  PULL_ROTATE_ALL_PARTLY: [
    500,
    '{failed} of {total} clusters could not be rotated; run the same command again to try those once more',
  ],
  PULL_NO_REGISTRIES: [
    400,
    'no registry is configured; list them under pullSecrets.registries in lanyard.yaml, or try it out with --stand-ins',
  ],
  PULL_NEEDS_KEY_RING: [
    400,
    'with a database of yours the keys that seal tokens must be kept by you; make a file with `lanyard pull-secrets keys rotate --key-ring-file FILE`, and give it with --key-ring-file',
  ],
  PULL_NO_KEY_RING: [
    400,
    'there is no key ring {file}; put it back from its backup, or for a new database make one with `lanyard pull-secrets keys rotate --key-ring-file {file}`',
  ],
  PULL_NEEDS_TLS: [
    400,
    '{address} is reachable from elsewhere and tokens would go there in the clear; give --tls-cert-file and --tls-key-file, or --plain-http where something in front does TLS',
  ],
  PULL_TLS_HALF: [400, 'TLS needs both a certificate and its key; give --tls-cert-file and --tls-key-file'],
  PULL_NOT_MIGRATED: [
    409,
    'the tables of the database are not up to date; run `lanyard pull-secrets migrate`, or leave --no-migrate out',
  ],
})
