import type { EksCluster } from '../names.ts'
import { hubRoleArn, hubRoleName, roleArn } from '../names.ts'
import type { Request } from './evaluate.ts'

/** The token that EKS gives to a pod of this account. */
export const podRequest = (cluster: EksCluster, oidcProvider: string, subject: string): Request => ({
  action: 'sts:AssumeRoleWithWebIdentity',
  federated: `arn:${cluster.partition}:iam::${cluster.account}:oidc-provider/${oidcProvider}`,
  context: { [`${oidcProvider}:sub`]: subject, [`${oidcProvider}:aud`]: 'sts.amazonaws.com' },
})

/** What the agent does with its role. */
export const agentRequests = (hub: EksCluster, managed: EksCluster): Request[] => [
  { action: 'sts:AssumeRole', resource: hubRoleArn(hub, managed), context: {} },
]

/** What a hub calls. The prerequisites allow more, for hubs of the field; who gives ours less than that may do so. */
const onRoles = [
  'iam:GetRole',
  'iam:CreateRole',
  'iam:TagRole',
  'iam:UpdateAssumeRolePolicy',
  'iam:GetRolePolicy',
  'iam:PutRolePolicy',
  'iam:ListRolePolicies',
  'iam:ListAttachedRolePolicies',
  'iam:DeleteRolePolicy',
  'iam:DetachRolePolicy',
  'iam:DeleteRole',
]
const onEntries = ['eks:DescribeAccessEntry', 'eks:UpdateAccessEntry', 'eks:DeleteAccessEntry', 'eks:TagResource']

/** Of a cluster that does not exist: what is allowed for it is allowed for all. */
export function hubRequests(hub: EksCluster): Request[] {
  const { partition, region, account, name } = hub
  const role = hubRoleName('0'.repeat(32))
  const entry = `arn:${partition}:eks:${region}:${account}:access-entry/${name}/role/${account}/${role}/0`
  const context = {
    'eks:principalArn': roleArn(hub, role),
    'eks:kubernetesGroups': 'open-cluster-management:any',
    'eks:clusterName': name,
  }
  return [
    ...onRoles.map((action) => ({ action, resource: roleArn(hub, role), context })),
    { action: 'eks:DescribeCluster', resource: hub.arn, context },
    { action: 'eks:CreateAccessEntry', resource: hub.arn, context },
    ...onEntries.map((action) => ({ action, resource: entry, context })),
  ]
}
