import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  CLUSTER_UNKNOWN: [
    404,
    'the hub knows no cluster {cluster}; `lanyard get clusters` lists those it knows, `lanyard doctor` finds out why one does not show up',
  ],
  CLUSTERS_NOT_NAMED: [400, 'name the clusters to {verb}, or add --all'],
  CLUSTERS_NAMED_AND_ALL: [400, 'clusters are named and --all is given; leave one of them out'],
  CLUSTER_LEAVES: [409, '{cluster} is being deleted; wait until it is gone, then let it join again'],
  ACCEPT_NO_REQUEST: [
    409,
    'no certificate request of {cluster} waits for approval, so nothing was changed; check its agent with `lanyard doctor {cluster}`, or add --skip-approve-check to accept it all the same',
  ],
  ACCEPT_FOREIGN_NAMESPACE: [
    409,
    'a namespace {cluster} is there already and was not made for the cluster, whose agent would get rights in it to leases, add-ons and works; it holds {content}; if that is right add --yes, else let the cluster join under another name',
  ],
  ACCEPT_OTHER_REQUESTER: [
    403,
    '{csr} of {cluster} was made by {requester}, who is not known to let clusters in; if you trust that, add --requesters {requester}',
  ],
  ACCEPT_OTHER_AGENT: [
    403,
    '{csr} asks for {cluster} and was made by the agent of another cluster ({requester}); deny it with `kubectl certificate deny {csr}`, and look at that cluster',
  ],
  ACCEPT_SEVERAL_REQUESTS: [
    409,
    'the agent {agent} of {cluster} asks several times with different keys: {csrs}; if it was only restarted the hub removes the older ones within a minute, else choose one with --csr and deny the others',
  ],
  ACCEPT_SEVERAL_AGENTS: [
    409,
    'several agents ask to be {cluster}: {agents}; choose one with --agent, and deny the others',
  ],
  ACCEPT_SECOND_AGENT: [
    409,
    '{cluster} has an agent ({joined}) that is alive, and another one ({asking}) asks for its name; if it shall take over, add --replace-agent',
  ],
  UNJOIN_STUCK: [
    504,
    '{cluster} did not leave the hub within {seconds} s ({missing}); if its agent is gone for good, run `lanyard unjoin {cluster} --force`',
  ],
  AGENT_REMOVAL_STUCK: [
    504,
    '{stuck} was not removed within {seconds} s; see who holds it, then run `lanyard unjoin` again',
  ],
  UNJOIN_NOWHERE: [400, 'name the cluster as the hub knows it, give the cluster with --managed-kubeconfig, or both'],
  UNJOIN_OTHER_CLUSTER: [
    409,
    '--managed-kubeconfig leads to the cluster {other}, not to {cluster}; correct one of the two, or add --force',
  ],
  UNJOIN_NO_IDENTITY: [
    409,
    'the cluster has no usable identity on its hub (Secret {secret} in namespace {namespace}), so it cannot take itself off; name the cluster and give the hub with --kubeconfig, or add --force to remove the agent only',
  ],
  UNJOIN_BY_AWS_FAILED: [
    409,
    '{cluster} cannot take itself off its hub by its AWS role: {why}; if the hub has denied or forgotten the cluster add --force to remove the agent only, else name the cluster and give the hub with --kubeconfig',
  ],
  OPERATION_PARTLY_FAILED: [500, '{failed} of {total} clusters could not be {done}'],
  WAITED_IN_VAIN: [504, '{cluster} was not {what} within {seconds} s: {missing}'],
})
