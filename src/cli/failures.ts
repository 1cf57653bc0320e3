import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  CALLER_CA_UNUSABLE: [
    400,
    '--admission-client-ca-file: {file} cannot be used: {detail}; it holds certificates of authorities as PEM',
  ],
  CALLER_NAMES_ALONE: [400, '--admission-client-names needs --admission-client-ca-file: names alone prove nothing'],
  GATE_UNKNOWN: [400, 'there is no feature gate {gate}; --feature-gates knows {known}'],
  GATE_FIXED: [400, 'the feature gate {gate} is always {fixed} in this version; leave it out of --feature-gates'],
  DRIVER_UNKNOWN: [400, 'there is no registration driver {driver}; {flag} takes {known}'],
  DRIVER_LATER: [
    501,
    'the registration driver {driver} comes with a later version of Lanyard, which brings {work}; {flag} takes {known} in this one',
  ],
  FLAG_LATER: [501, '{flag} comes with a later version of Lanyard; leave it out'],
  DRIVER_NEEDS_FLAG: [400, 'with the registration driver {driver} the hub must be named; add {flag} ARN'],
  FLAG_NEEDS_DRIVER: [400, '{flag} has no effect without the registration driver {driver}; add it to {driversFlag}'],
  FLAG_MALFORMED: [400, '{flag}: {detail}'],
  CSR_WITH_HUB_ARN: [
    400,
    'with --hub-cluster-arn {arn} clusters join by AWS IAM, and EKS signs no client certificates for others; add awsirsa to --enabled-registration-drivers, or leave --hub-cluster-arn out',
  ],
  CSR_ON_EKS: [
    409,
    'the API server of this hub is one of EKS ({version}), which signs no client certificates, so no cluster can join by csr; start the hub with --enabled-registration-drivers=awsirsa and --hub-cluster-arn ARN',
  ],
  INIT_CSR_ON_EKS: [
    409,
    'no cluster can join by csr here: {why}, and EKS signs no client certificates; nothing was changed, use --registration-auth=aws-irsa --hub-cluster-arn ARN instead',
  ],
  AWS_CLUSTER_UNNAMED: [
    400,
    'with the registration driver {driver} the EKS cluster that joins must be named, and its kubeconfig does not call it by its ARN; add --managed-cluster-arn ARN (`aws eks describe-cluster --name NAME --query cluster.arn --output text` prints it)',
  ],
  AWS_NOT_PREPARED: [
    409,
    'IAM is not ready for the {whose}: {missing}; put that right with what `lanyard aws prerequisites {whose}` prints (`init` and `join` go on without this look with --skip-aws-preflight)',
  ],
  AWS_NOT_SEEN: [
    403,
    'the role of the {whose} could not be looked at; run this again with AWS credentials of account {account} that may read its roles (iam:GetRole, iam:ListRolePolicies, iam:GetRolePolicy, iam:ListAttachedRolePolicies)',
  ],
  AWS_HUB_UNSEEN: [
    403,
    'you may not read the ServiceAccount {account} in namespace {namespace}, which says how this hub lets clusters in by AWS IAM; add --aws-credentials hub where the hub makes their roles, else --aws-credentials own --hub-cluster-arn ARN',
  ],
  AWS_HUB_UNNAMED: [
    409,
    'the ServiceAccount {account} in namespace {namespace} does not say which EKS cluster the hub is; add --hub-cluster-arn ARN, or run `lanyard init --registration-auth=aws-irsa --hub-cluster-arn ARN` again',
  ],
  AWS_HUB_OTHER: [
    409,
    '--hub-cluster-arn is {given}, and the hub says that it is {found}; leave the flag out, or correct the hub with `lanyard init`',
  ],
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
  AGENT_NEEDS_ARN: [400, 'with the registration driver awsirsa the agent has to know {what}; add {flag} ARN'],
  AGENT_AWS_ONE_HUB: [
    400,
    'with the registration driver awsirsa an agent has one hub, for the role it assumes is of that hub; give one bootstrap kubeconfig',
  ],
  AGENT_ONE_HUB: [
    400,
    'the feature gate MultipleHubs needs at least two bootstrap kubeconfigs; repeat --bootstrap-kubeconfigs, or turn the gate off',
  ],
  CHECKPOINT_UNKNOWN: [400, 'LANYARD_KILL_AT names {name}, which is no checkpoint; those that are: {known}'],
  FILE_UNREADABLE: [400, 'cannot read {path}, which {flag} names ({detail}); check the path'],
  FILE_EMPTY: [400, 'there is nothing in {path}, which {flag} names'],
  FILE_UNWRITABLE: [400, 'cannot write {path}, which {flag} names ({detail}); check the path'],
  FOLDER_RELATIVE: [400, '{flag} names {path}, which begins nowhere; give a path that begins with /'],
  ACCESS_CA_UNKNOWN: [
    409,
    'the hub has no CA yet (Secret {secret}); prepare it with `lanyard init`, or say who vouches for its address with --ca-file or --system-ca',
  ],
  CA_UNREADABLE: [400, 'there is no certificate in {path}, which {flag} names; give a PEM file with the CA'],
  REACH_NO_WAY: [
    400,
    'say how the hub gets in: --kubeconfig-file FILE, or --server URL with --issuer URL or --identity-provider NAME, or --from-join',
  ],
  REACH_TWO_WAYS: [400, '{flags} are two ways in, and the hub takes one; leave all but one out'],
  REACH_NEEDS_FLAG: [400, 'with {way} there must also be {flag}'],
  REACH_FLAG_IDLE: [400, '{flag} has no effect with {way}; leave it out'],
  REACH_NOT_CONFIRMED: [400, 'nothing was removed; add --yes to say that {names} may go'],
  REACH_NOT_NAMED: [400, 'name ClusterConfigs, or {verb} every one with --all'],
  REACH_NAMED_AND_ALL: [400, 'name ClusterConfigs or give --all, not both'],
  REACH_APPLY_WHERE: [
    400,
    'rights are applied by an administrator of the cluster; give a kubeconfig of theirs with --spoke-kubeconfig',
  ],
  HUB_NOT_PREPARED: [
    409,
    'the hub at {server} has no account {account} that clusters could join with; prepare it first with `lanyard init`',
  ],
  HUB_ACCOUNT_MISSING: [
    409,
    'the hub at {server} has no ServiceAccount {account}, as which `lanyard hub` acts; make it with `lanyard init --namespace {namespace}`',
  ],
  HUB_ACCOUNT_FORBIDDEN: [
    403,
    '{user} may not ask for tokens of the ServiceAccount {account}, as which `lanyard hub` acts; an administrator lets them with `kubectl -n {namespace} create role lanyard-hub-token --verb create --resource serviceaccounts/token --resource-name {name}` and a RoleBinding to it',
  ],
  HUB_ACCOUNT_NO_TOKEN: [
    502,
    'the API server at {server} answered without a token of the ServiceAccount {account}, as which `lanyard hub` acts; give the address of the API server itself, or start the hub with a kubeconfig of that account',
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
  ACCESS_SERVER_UNKNOWN: [
    404,
    'no hub is known from {data}; give its address with --server, or start one on this machine with `lanyard up`',
  ],
  ACCESS_SERVER_AWAY: [
    503,
    'the hub does not answer at {server} ({detail}); check --server, and that `lanyard hub` runs there with the feature gate Access',
  ],
  ACCESS_SERVER_UNTRUSTED: [
    403,
    'nobody vouches for {server}, so nothing was sent to it ({detail}); give its CA with --ca, and ask whoever runs the hub for it',
  ],
  ACCESS_REFUSED: [400, '{said}'],
  ACCESS_LOGIN_NAME: [
    400,
    '{name} cannot be the name of a login; give --login lower-case letters, digits, dots and dashes',
  ],
  ACCESS_LOGIN_DAMAGED: [409, '{path} is damaged; delete it and log in again with `lanyard access login`'],
  ACCESS_NOT_LOGGED_IN: [401, 'you are not logged in to {server}; do so with `lanyard access login{flags}`'],
  ACCESS_LOGIN_ELSEWHERE: [
    409,
    'the login {login} is for {kept}, and its token is not shown to {server}; log in there with `lanyard access login --login NAME --server {server}`',
  ],
  ACCESS_LOGIN_ENDED: [401, 'your login to {server} has ended; log in again with `lanyard access login{flags}`'],
  ACCESS_LOGIN_REFUSED: [
    403,
    'the identity provider {provider} did not log you in: {detail}; try again with `lanyard access login`',
  ],
  ACCESS_NO_DEVICE_LOGIN: [
    422,
    'the identity provider {provider} offers no login by device code; turn it on for the client of the hub, or give a token with --token-file',
  ],
  ACCESS_WRONG_AUDIENCE: [
    422,
    'the identity provider {provider} gave no token for {audience}; have it put that audience into the tokens of the client',
  ],
  ACCESS_NO_PROVIDERS: [
    404,
    'nobody can log in yet: the hub has no IdentityProvider; its administrator makes one, see docs/access.md',
  ],
  ACCESS_WHICH_PROVIDER: [400, 'there are several identity providers; say which with --idp: {known}'],
  ACCESS_PROVIDER_UNKNOWN: [404, 'there is no identity provider {name}; --idp takes {known}'],
  ACCESS_NO_REASON: [400, 'say why with --reason'],
  ACCESS_NONE_MEANT: [404, 'there is no session for you to {action}; see those there are with `lanyard access list`'],
  ACCESS_SEVERAL_MEANT: [400, 'there are several sessions for you to {action}; name one: {names}'],
  ACCESS_NONE_SUCH: [404, 'there is none called {name} among the {kind} of the hub; `lanyard get {kind}` lists them'],
  ACCESS_WAIT_ENDED: [
    409,
    'the session {name} is {state}; see why with `lanyard access show {name}`, or ask again with `lanyard access request`',
  ],
  ACCESS_WAIT_LATE: [
    504,
    'nobody decided on {name} within {seconds} s; it still waits, look with `lanyard access show {name}`',
  ],
  ACCESS_AUDIT_BROKEN: [
    409,
    'the audit log is not what was written, {place} shows: {what}, {detail}; keep the file and the heads of the hub as evidence',
  ],
  ACCESS_HEADS_UNREADABLE: [
    400,
    'there are no heads in {path}, which --heads names; `kubectl get configmap lanyard-audit-heads -n open-cluster-management-hub -o yaml` prints them',
  ],
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
