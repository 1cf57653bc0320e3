import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  REACH_NAME_INVALID: [
    400,
    '{name} cannot be the name of a ClusterConfig; use at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit',
  ],
  REACH_NOT_INSTALLED: [409, 'the hub serves no ClusterConfigs; prepare it first with `lanyard init`'],
  REACH_UNKNOWN: [
    404,
    'there is no ClusterConfig {name}; `lanyard reach list` shows those there are, `lanyard reach add {name} --help` how one is made',
  ],
  REACH_ELSEWHERE: [
    409,
    'the namespace {namespace} has a ClusterConfig {name} already, and their names are unique on a hub; add --namespace {namespace} to change that one, or remove it with `lanyard reach rm {name}`',
  ],
  REACH_SEVERAL: [
    409,
    'several namespaces have a ClusterConfig {name} ({namespaces}); say which one with --namespace, and remove all but one',
  ],
  REACH_NOT_OURS: [
    409,
    'the {kind} {namespace}/{name} was not made by `lanyard reach add`; change it where it came from, or remove it first',
  ],
  REACH_LEAVES: [
    409,
    'the ClusterConfig {name} is just being removed; repeat this once `lanyard reach list` does not show it',
  ],
  REACH_NO_NAMESPACE: [
    404,
    'the hub has no namespace {namespace}; prepare it with `lanyard init`, or name another with --namespace',
  ],
  REACH_PLUGIN: [
    422,
    'the user of context {context} gets its credentials from {what}, which the hub does not run; give a kubeconfig with a token or a certificate, such as that of a service account, or use OIDC: --server and --issuer',
  ],
  REACH_ANONYMOUS: [
    422,
    'the context {context} names no user, so the hub would be nobody on the cluster; choose another with --from-context',
  ],
  REACH_CLUSTER_UNKNOWN: [404, 'the hub knows no cluster {cluster}; `lanyard get clusters` lists those it knows'],
  REACH_CLUSTER_NOT_ACCEPTED: [
    409,
    'the hub has not accepted {cluster}, so its agent cannot hand over a way in; run `lanyard accept {cluster}` first',
  ],
  REACH_TAKEN: [
    409,
    'the hub has another way into {cluster}, the ClusterConfig {namespace}/{cluster}; remove it with `lanyard reach rm {cluster}` first',
  ],
  REACH_NOT_READY: [
    504,
    'the hub did not get into {name} within {seconds} s: {detail}; see `lanyard describe clusterconfig {name}`',
  ],
  REACH_NOT_HANDED_OVER: [
    504,
    'the agent of {name} has not handed over a way in within {seconds} s; it does after `lanyard join --offer-reach` on the cluster, or `lanyard deploy agent --offer-reach` applied to it; the hub keeps asking until `lanyard reach rm {name}`',
  ],
  REACH_FAILED: [502, '{who} does not get into {name}: {reason}: {message}'],
  REACH_HUB_SILENT: [
    504,
    'the hub did not look at {name} within {seconds} s; see whether `lanyard hub` runs and its gate Reach is on',
  ],
  REACH_HERE_SPENDS: [
    409,
    'the way into {name} begins with a refresh token that is good once (rotatedRefreshTokenKey), and a look from here would use it up; have the hub look with `lanyard reach check {name}`, or name its user for `lanyard reach rbac {name}` with --user',
  ],
  REACH_OTHER_CLUSTER: [
    409,
    "the administrator's kubeconfig leads to another cluster than the hub's way into {name}: kube-system at {there} has UID {thereUid}, that of {name} has UID {hubUid}; nothing was applied; give a kubeconfig of {name}",
  ],
  REACH_OTHER_ADDRESS: [
    409,
    "the administrator's kubeconfig leads to {there}, the hub's way into {name} to {hub}; nothing was applied; give a kubeconfig of {name}, or add --other-address if both are the same cluster",
  ],
  REACH_FINGERPRINT_INVALID: [400, 'the fingerprint is a SHA-256: 64 hex digits, with or without colons'],
  REACH_TRUST_ELSEWHERE: [409, 'there is nothing to confirm: the CA of {name} comes from {where}'],
  REACH_OTHER_CA: [
    409,
    '{name} shows a CA with SHA-256 {offered}, not the one that you confirmed, {fingerprint}; that one counts once {name} shows it; compare again with `lanyard reach trust {name}`, or take the confirmation back with `lanyard reach trust {name} --withdraw`',
  ],
  REACH_IDENTITY_UNKNOWN: [
    409,
    'who the hub is on {name} could not be found out ({detail}); name its user there with --user, or a service account as system:serviceaccount:NAMESPACE:NAME',
  ],
})
