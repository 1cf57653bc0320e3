import { catalogue } from '../../../../core/failure.ts'

/** Of the agent's half, and of `lanyard aws token`. */
export const failures = catalogue({
  AWS_CLUSTER_NOT_MARKED: [
    409,
    'the ManagedCluster {cluster} on the hub is not marked as the EKS cluster {arn}, so the hub would give it no role; an administrator of the hub puts these annotations on it: {annotations}',
  ],
  AWS_CLUSTER_GONE: [
    404,
    'the ManagedCluster {cluster} was deleted on the hub, which took the role of the agent with it, so the agent does not ask again by itself; to join anew, delete {keptIn} on the cluster',
  ],
  AWS_HUB_SHUT: [
    401,
    'the hub refuses the bootstrap kubeconfig ({bootstrap}) and the agent does not get in by its AWS role ({own}); give the agent a bootstrap kubeconfig with a fresh token (`lanyard token` prints one for the hub), or have the cluster accepted',
  ],
  AWS_REGION_INVALID: [400, '{region} is no region of AWS; give one such as eu-central-1'],
  AWS_ENDPOINT_INVALID: [
    400,
    '{endpoint} cannot be used as the endpoint of STS; give an https URL without a user, a path or a query (plain http only on this machine)',
  ],
  AWS_KEYS_INCOMPLETE: [
    400,
    'the environment has {present} and not {missing}; set both, or unset both so that the web identity of the pod is used',
  ],
  AWS_WEB_IDENTITY_INCOMPLETE: [
    400,
    'the environment has {present} and not {missing}; annotate the service account with eks.amazonaws.com/role-arn and start the pod anew, which sets both',
  ],
  AWS_WEB_IDENTITY_UNREADABLE: [
    404,
    'the web identity token {path} cannot be read ({problem}); look whether the pod runs under the service account that is annotated with eks.amazonaws.com/role-arn, and whether the token is mounted',
  ],
  AWS_WEB_IDENTITY_EXPIRED: [
    401,
    'the web identity token {path} has run out; the kubelet replaces it in time, so look whether the node is healthy, or start the pod anew',
  ],
  AWS_WEB_IDENTITY_REJECTED: [
    401,
    'STS does not accept the web identity token {path} for {role} ({detail}); check that the OIDC provider of this cluster is registered in the account of the role, with the audience sts.amazonaws.com',
  ],
  AWS_WEB_ROLE_REFUSED: [
    403,
    'the web identity {path} may not assume {role} ({detail}); check the name of the role, and that its trust policy names the OIDC provider of this cluster and this service account',
  ],
  AWS_ROLE_REFUSED: [
    403,
    '{caller} may not assume {role} ({detail}); the hub makes that role when it accepts the cluster, so look whether it has; then check that the policy of the caller allows sts:AssumeRole on it, and the four tags of the caller',
  ],
  AWS_ACCOUNT_WITHOUT_ROLE: [
    409,
    'the service account {account} has no annotation eks.amazonaws.com/role-arn, so the agent has no AWS identity; join again with `lanyard join --registration-auth awsirsa`, or let the Klusterlet say awsirsa',
  ],
  AWS_CREDENTIALS_REJECTED: [
    401,
    'AWS does not accept the credentials of {caller} ({detail}); check that they are of the partition of {endpoint}, and were not deleted',
  ],
  AWS_CREDENTIALS_EXPIRED: [401, 'the AWS credentials of {caller} have run out; get new ones and try again'],
  AWS_CREDENTIALS_MISSING: [
    401,
    'no AWS credentials were found ({detail}); on EKS annotate the service account with eks.amazonaws.com/role-arn, elsewhere set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ],
  AWS_CLOCK_SKEW: [
    401,
    'the clock of this machine is {seconds} s {direction} that of {endpoint}, and AWS allows a few minutes; set it right, by NTP for example',
  ],
  AWS_STS_UNREACHABLE: [
    503,
    'STS at {endpoint} cannot be asked ({detail}); check the way there (DNS, firewall, HTTPS_PROXY, or a VPC endpoint for STS), and that the region is right',
  ],
  AWS_STS_REFUSED: [
    502,
    'STS at {endpoint} refused {action} ({detail}); look the code up in the documentation of AWS STS',
  ],
  AWS_EXEC_INFO_INVALID: [
    400,
    'KUBERNETES_EXEC_INFO asks for {apiVersion}; in the kubeconfig, set the apiVersion of the plugin to {known}',
  ],
})
