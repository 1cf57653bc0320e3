import type { Caller } from './authenticate.ts'
import { checkedClusterName, pageIn, tagsIn } from './eks-input.ts'
import type { EksInput } from './json-protocol.ts'
import { mostTags } from './limits.ts'
import { authorize, tagKeys } from './policy-evaluation.ts'
import { refuse } from './refusals.ts'
import type { Cluster, World } from './state.ts'

export interface EksCall {
  world: World
  caller: Caller
  /** Of the endpoint, as the signature has it. */
  region: string
  input: EksInput
}

export type EksHandler = (call: EksCall) => unknown

/** The cluster a call names, once the caller may do that with it. */
export function clusterFor(call: EksCall, action: string, extra: [string, string[]][] = []): Cluster {
  const arn = clusterArn(call)
  const cluster = call.world.clusters.get(arn)
  authorize(call.caller, action, arn, [...tagKeys('ResourceTag', cluster?.tags ?? new Map()), ...extra])
  return cluster ?? unknownCluster(call)
}

export const clusterArn = ({ caller: { account }, region, input }: EksCall): string =>
  `arn:${account.partition}:eks:${region}:${account.id}:cluster/${checkedClusterName(input.labels['name'])}`

export const unknownCluster = ({ input }: EksCall): never =>
  refuse('CLUSTER_UNKNOWN', { cluster: input.labels['name'] ?? '' })

const describeCluster: EksHandler = (call) => {
  const cluster = clusterFor(call, 'eks:DescribeCluster')
  return {
    cluster: {
      name: cluster.name,
      arn: cluster.arn,
      createdAt: cluster.createdAt.getTime() / 1000,
      version: '1.34',
      status: 'ACTIVE',
      endpoint: cluster.endpoint,
      certificateAuthority: { data: Buffer.from(cluster.certificateAuthority).toString('base64') },
      identity: { oidc: { issuer: cluster.issuer } },
      accessConfig: { authenticationMode: cluster.authenticationMode },
      tags: Object.fromEntries(cluster.tags),
    },
  }
}

const listClusters: EksHandler = ({ world, caller, region, input }) => {
  const { partition, id } = caller.account
  authorize(caller, 'eks:ListClusters', `arn:${partition}:eks:${region}:${id}:cluster/*`)
  const own = [...world.clusters.values()].filter((one) => one.account === caller.account && one.region === region)
  const { items, nextToken } = pageIn(world, input, own.map(({ name }) => name).sort())
  return { clusters: items, nextToken }
}

const tagResource: EksHandler = ({ world, caller, region, input }) => {
  const arn = input.labels['resourceArn'] ?? ''
  const tags = tagsIn(input.body(), 'EKS_TAGS_WRONG')
  const own = [...world.clusters.values()].filter((one) => one.account === caller.account && one.region === region)
  const tagged = [...own, ...own.flatMap(({ entries }) => [...entries.values()])].find((one) => one.arn === arn)
  authorize(caller, 'eks:TagResource', arn, [
    ...tagKeys('ResourceTag', tagged?.tags ?? new Map()),
    ...tagKeys('RequestTag', tags),
  ])
  if (!tagged) return refuse('RESOURCE_UNKNOWN', { arn })
  const merged = new Map([...tagged.tags, ...tags])
  if (merged.size > mostTags) refuse('EKS_TAGS_WRONG', { what: `Number of tags exceeds the limit of ${mostTags}` })
  tagged.tags = merged
  return {}
}

export const clusterActions: Record<string, EksHandler> = {
  DescribeCluster: describeCluster,
  ListClusters: listClusters,
  TagResource: tagResource,
}
