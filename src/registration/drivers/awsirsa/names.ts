import { createHash } from 'node:crypto'

/** A sentence for people about what they gave. The caller knows where it came from, and says so. */
export interface Wrong {
  readonly wrong: string
}

/** What the ARN of an EKS cluster says. */
export interface EksCluster {
  readonly arn: string
  readonly partition: string
  readonly region: string
  readonly account: string
  /** As EKS knows it, which need not be the name of the ManagedCluster. */
  readonly name: string
}

const region = /^[a-z]{2,}(?:-[a-z]+)+-\d{1,2}$/
const eksName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** By its form: AWS opens regions faster than lists of them are published. */
export const isRegion = (text: string): boolean => region.test(text)
export const isEksName = (text: string): boolean => eksName.test(text)

const resourceKind = 'cluster/'
const example = 'arn:aws:eks:eu-west-1:123456789012:cluster/NAME'
const longestArn = 256

const parts: readonly (readonly [rule: string, isKept: (part: string) => boolean])[] = [
  ['begins with arn', (part) => part === 'arn'],
  ['has a partition such as aws, aws-cn or aws-us-gov', (part) => /^aws(?:-[a-z0-9]+)*$/.test(part)],
  ['is of the service eks', (part) => part === 'eks'],
  ['has a region such as eu-west-1', isRegion],
  ['has an account of 12 digits', (part) => /^\d{12}$/.test(part)],
  [
    'ends in cluster/ and a name of at most 100 letters, digits, - and _ that begins with a letter or digit',
    (part) => part.startsWith(resourceKind) && isEksName(part.slice(resourceKind.length)),
  ],
]

/** Of every partition. Text that an agent sent may be anything, and is quoted, shortened, in the sentence. */
export function parseEksArn(text: string): EksCluster | Wrong {
  const found = text.length > longestArn ? [] : text.split(':')
  const unlike = parts.find(([, isKept], index) => !isKept(found[index] ?? ''))
  const why = text.length > longestArn ? `has at most ${longestArn} characters` : unlike?.[0]
  if (why !== undefined || found.length !== parts.length)
    return { wrong: `${quoted(text)} is not the ARN of an EKS cluster, which ${why ?? 'has six parts'}: ${example}` }
  const [, partition = '', , region = '', account = '', resource = ''] = found
  return { arn: text, partition, region, account, name: resource.slice(resourceKind.length) }
}

/** Why the two can never meet; undefined: nothing is known to be in the way. */
export const whyApart = (hub: EksCluster, managed: EksCluster): string | undefined =>
  hub.partition === managed.partition
    ? undefined
    : `the hub is in the AWS partition ${hub.partition} and the cluster in ${managed.partition}, and no role is assumed across partitions; join the cluster to a hub in ${managed.partition}`

/** The four values in the alphabetical order of their tags. They are plain strings: the seed's vector has no real accounts. */
export const digestOf = (hubAccount: string, hubName: string, managedAccount: string, managedName: string): string =>
  createHash('md5').update([hubAccount, hubName, managedAccount, managedName].join('#')).digest('hex')

export const roleSuffix = (hub: EksCluster, managed: EksCluster): string =>
  digestOf(hub.account, hub.name, managed.account, managed.name)

/** The tags of the managed cluster's role, which the trust policy of the hub's role asks for. */
export const principalTags = (hub: EksCluster, managed: EksCluster) => ({
  hub_cluster_account_id: hub.account,
  hub_cluster_name: hub.name,
  managed_cluster_account_id: managed.account,
  managed_cluster_name: managed.name,
})

export const hubRolePrefix = 'ocm-hub-'
export const hubRoleName = (suffix: string): string => `${hubRolePrefix}${suffix}`
export const managedRoleName = (suffix: string): string => `ocm-managed-cluster-${suffix}`

const longestRoleName = 64
const creatorEnding = '_managed-cluster-identity-creator'

/** EKS allows longer names of clusters than IAM leaves room for. */
export function creatorRoleName({ name }: EksCluster): string | Wrong {
  const role = `${name}${creatorEnding}`
  if (role.length <= longestRoleName) return role
  return {
    wrong: `the hub's role would be called ${role}, and IAM allows ${longestRoleName} characters, which leaves ${longestRoleName - creatorEnding.length} to the name of the EKS cluster; do without this role and accept clusters with \`lanyard accept\` and AWS credentials of your own, or use an EKS cluster with a shorter name`,
  }
}

/** In the account and partition of the cluster. */
export const roleArn = ({ partition, account }: EksCluster, name: string): string =>
  `arn:${partition}:iam::${account}:role/${name}`

export const hubRoleArn = (hub: EksCluster, managed: EksCluster): string =>
  roleArn(hub, hubRoleName(roleSuffix(hub, managed)))

export const managedRoleArn = (hub: EksCluster, managed: EksCluster): string =>
  roleArn(managed, managedRoleName(roleSuffix(hub, managed)))

const longestQuote = 200

/** On one line, whatever is in it. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text)
