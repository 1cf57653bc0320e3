import { accountUser, agentNamespace, hubNamespace } from '../../../fleet/names.ts'
import { agentAccount } from '../../manifests/agent.ts'
import { hubAccount } from '../../manifests/hub-rbac.ts'
import type { EksCluster } from './names.ts'
import { hubRoleArn, hubRolePrefix, managedRoleArn, principalTags, roleArn } from './names.ts'

/** As IAM takes it. A value stands for a list of one. */
export interface PolicyDocument {
  readonly Version: '2012-10-17'
  readonly Statement: readonly Statement[]
}

export interface Statement {
  readonly Effect: 'Allow'
  readonly Principal?: { readonly AWS: string } | { readonly Federated: string }
  readonly Action: string | readonly string[]
  readonly Resource?: string | readonly string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Something that the seed's documents do not have, and why it has to be there. */
export interface Addition {
  /** An action of the access policy, a key of its conditions, or a subject of the trust policy. */
  readonly what: string
  readonly reason: string
}

/** The pods that may take a role: accounts of one namespace, known by the cluster's own OpenID provider. */
export interface PodIdentity {
  /** Without https://, as IAM names it: oidc.eks.eu-west-1.amazonaws.com/id/ABC. */
  readonly oidcProvider: string
  /** Default: where agents, or hubs, are unless people say otherwise. */
  readonly namespace?: string
}

const document = (...Statement: Statement[]): PolicyDocument => ({ Version: '2012-10-17', Statement })

/** Who may take the hub's role for a cluster: the role of that cluster, while it has the tags of both. */
export function hubRoleTrust(hub: EksCluster, managed: EksCluster): PolicyDocument {
  const tags = Object.entries(principalTags(hub, managed)).map(([key, value]) => [`aws:PrincipalTag/${key}`, value])
  return document({
    Effect: 'Allow',
    Principal: { AWS: managedRoleArn(hub, managed) },
    Action: 'sts:AssumeRole',
    Condition: { StringEquals: Object.fromEntries(tags) },
  })
}

/** Inline, not a policy of its own: it goes with its role, and nobody else can attach it. */
export const hubRolePolicyName = 'ocm-hub-access'
export const hubRoleAccess = (hub: EksCluster): PolicyDocument =>
  document({ Effect: 'Allow', Action: ['eks:DescribeCluster', 'eks:ListClusters'], Resource: hub.arn })

export const managedRolePolicyName = 'ocm-managed-cluster-access'
export const managedRoleAccess = (hub: EksCluster, managed: EksCluster): PolicyDocument =>
  document({ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: hubRoleArn(hub, managed) })

export const defaultKlusterlet = 'klusterlet'

export interface AgentIdentity extends PodIdentity {
  readonly klusterlet?: string
}

export function managedRoleTrust(managed: EksCluster, identity: AgentIdentity): PolicyDocument {
  const { namespace = agentNamespace, klusterlet = defaultKlusterlet } = identity
  const accounts = [`${klusterlet}-registration-sa`, `${klusterlet}-work-sa`, agentAccount]
  return document(...accounts.map((account) => podTrust(managed, identity, accountUser(namespace, account))))
}

export const managedRoleAdditions = ({ namespace = agentNamespace }: AgentIdentity): readonly Addition[] => [
  {
    what: accountUser(namespace, agentAccount),
    reason: 'the agent of Lanyard is one pod with one account, in place of the two that the field has',
  },
]

export const creatorRoleTrust = (hub: EksCluster, identity: PodIdentity): PolicyDocument =>
  document(podTrust(hub, identity, accountUser(identity.namespace ?? hubNamespace, hubAccount)))

/** One statement a subject, as the seed has it. */
const podTrust = (cluster: EksCluster, { oidcProvider }: PodIdentity, subject: string): Statement => ({
  Effect: 'Allow',
  Principal: { Federated: `arn:${cluster.partition}:iam::${cluster.account}:oidc-provider/${oidcProvider}` },
  Action: 'sts:AssumeRoleWithWebIdentity',
  Condition: { StringEquals: { [`${oidcProvider}:sub`]: subject, [`${oidcProvider}:aud`]: 'sts.amazonaws.com' } },
})

/** The seed's. Those on policies are for hubs of the field: ours puts the access policy into the role. */
const seedActions = [
  'iam:CreateRole',
  'iam:DeleteRole',
  'iam:UpdateAssumeRolePolicy',
  'iam:PutRolePolicy',
  'iam:DeleteRolePolicy',
  'iam:AttachRolePolicy',
  'iam:DetachRolePolicy',
  'iam:CreatePolicy',
  'iam:DeletePolicy',
  'iam:CreatePolicyVersion',
  'iam:DeletePolicyVersion',
  'iam:ListAttachedRolePolicies',
  'iam:ListRolePolicies',
  'iam:ListPolicyVersions',
  'iam:GetRole',
  'iam:GetRolePolicy',
  'iam:GetPolicy',
  'iam:GetPolicyVersion',
  'iam:PassRole',
]

/** By what they are allowed on. iam:ListRoleTags is not among them: iam:GetRole tells the tags too. */
const additions = {
  role: [
    {
      what: 'iam:TagRole',
      reason: 'a role is made with its tags, by which the hub knows its own roles from those of others',
    },
  ],
  cluster: [
    {
      what: 'eks:DescribeCluster',
      reason: 'the authentication mode of the hub decides between access entries and the ConfigMap aws-auth',
    },
  ],
  newAccessEntry: [
    {
      what: 'eks:CreateAccessEntry',
      reason: 'the role of an accepted cluster is made known to Kubernetes, unless the mode is CONFIG_MAP',
    },
  ],
  accessEntry: [
    { what: 'eks:TagResource', reason: 'an access entry is made with its tags, by which the hub knows its own' },
    { what: 'eks:DescribeAccessEntry', reason: 'the hub looks whether an access entry is its own and as it should be' },
    { what: 'eks:DeleteAccessEntry', reason: 'a cluster that is denied or deleted loses its access first' },
  ],
  changedAccessEntry: [
    { what: 'eks:UpdateAccessEntry', reason: 'an access entry whose user or groups were changed is put right' },
  ],
  condition: [
    {
      what: 'eks:principalArn',
      reason: 'the resource of a new access entry is the whole cluster, and only roles that the hub made are to get in',
    },
    {
      what: 'eks:kubernetesGroups',
      reason: 'whoever takes over the hub is not to put a role into a group with more rights than those of clusters',
    },
  ],
} as const satisfies Record<string, readonly Addition[]>

export const creatorRoleAdditions: readonly Addition[] = Object.values(additions).flat()

export const creatorRolePolicyName = 'managed-cluster-identity-creator'

export function creatorRoleAccess(hub: EksCluster): PolicyDocument {
  const { partition, region, account, name } = hub
  const roles = roleArn(hub, `${hubRolePrefix}*`)
  const policies = `arn:${partition}:iam::${account}:policy/${hubRolePrefix}*`
  const entries = `arn:${partition}:eks:${region}:${account}:access-entry/${name}/role/${account}/${hubRolePrefix}*`
  const ofClusters = { 'ForAllValues:StringLike': { 'eks:kubernetesGroups': 'open-cluster-management:*' } }
  return document(
    { Effect: 'Allow', Action: seedActions, Resource: [roles, policies] },
    allowed(additions.role, roles),
    allowed(additions.cluster, hub.arn),
    {
      ...allowed(additions.newAccessEntry, hub.arn),
      Condition: { ArnLike: { 'eks:principalArn': roles }, ...ofClusters },
    },
    allowed(additions.accessEntry, entries),
    { ...allowed(additions.changedAccessEntry, entries), Condition: ofClusters },
  )
}

const allowed = (some: readonly Addition[], Resource: string): Statement => ({
  Effect: 'Allow',
  Action: some.map(({ what }) => what),
  Resource,
})
