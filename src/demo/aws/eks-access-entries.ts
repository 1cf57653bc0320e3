import { randomUUID } from 'node:crypto'
import type { EksCall, EksHandler } from './eks-clusters.ts'
import { clusterArn, clusterFor, unknownCluster } from './eks-clusters.ts'
import { checkedPrincipal, groupsIn, pageIn, tagsIn, textIn, usernameIn } from './eks-input.ts'
import { authorize, tagKeys } from './policy-evaluation.ts'
import { refuse } from './refusals.ts'
import type { AccessEntry, Cluster, World } from './state.ts'
import { isUnread, lookFor } from './state.ts'

const types = ['STANDARD', 'EC2_LINUX', 'EC2_WINDOWS', 'FARGATE_LINUX', 'EC2', 'HYBRID_LINUX', 'HYPERPOD_LINUX']

const createAccessEntry: EksHandler = (call) => {
  const { world, caller, input } = call
  const body = input.body()
  const given = textIn(body, 'principalArn') ?? refuse('EKS_PARAMETER_WRONG', { what: 'principalArn is required' })
  const principalArn = checkedPrincipal(given)
  const groups = groupsIn(body)
  const username = usernameIn(body)
  const type = textIn(body, 'type') ?? 'STANDARD'
  if (!types.includes(type) || (type !== 'STANDARD' && (groups || username))) refuse('ENTRY_TYPE_WRONG', { type })
  const tags = tagsIn(body)
  const cluster = clusterFor(call, 'eks:CreateAccessEntry', [
    ...tagKeys('RequestTag', tags),
    ['eks:principalArn', [principalArn]],
    ['eks:accessEntryType', [type]],
    ...wishKeys(groups, username),
  ])
  const arn = `${entryArn(cluster, principalArn)}/${randomUUID()}`
  if (tags.size > 0) authorize(caller, 'eks:TagResource', arn, tagKeys('RequestTag', tags))
  checkMode(cluster)
  if (cluster.entries.has(principalArn)) refuse('ENTRY_EXISTS')
  const principalId = principalIdOf(world, principalArn) ?? refuse('ENTRY_PRINCIPAL_INVALID')
  const now = world.clock.now()
  const entry: AccessEntry = {
    arn,
    principalArn,
    principalId,
    username: username ?? usualUsername(principalArn),
    groups: groups ?? [],
    type,
    tags,
    createdAt: now,
    modifiedAt: now,
  }
  cluster.entries.set(principalArn, entry)
  return { accessEntry: shown(cluster, entry) }
}

/** What is not asked for has no key. */
const wishKeys = (groups: string[] | undefined, username: string | undefined): [string, string[]][] => [
  ...(groups ? [['eks:kubernetesGroups', groups] as [string, string[]]] : []),
  ...(username !== undefined ? [['eks:username', [username]] as [string, string[]]] : []),
]

function principalIdOf(world: World, arn: string): string | undefined {
  const users = [...world.accounts.values()].flatMap((account) => [...account.users.values()])
  return (users.find((user) => user.arn === arn) ?? lookFor(world, arn, 'eks'))?.id
}

function usualUsername(principalArn: string): string {
  const role = /^arn:([^:]+):iam::(\d+):role\/(?:.*\/)?([^/]+)$/.exec(principalArn)
  return role ? `arn:${role[1]}:sts::${role[2]}:assumed-role/${role[3]}/{{SessionName}}` : principalArn
}

const describeAccessEntry: EksHandler = (call) => {
  const { cluster, entry } = entryFor(call, 'eks:DescribeAccessEntry')
  if (isUnread(call.world, 'entries')) refuse('ENTRY_UNKNOWN')
  return { accessEntry: shown(cluster, entry) }
}

const updateAccessEntry: EksHandler = (call) => {
  const body = call.input.body()
  const groups = groupsIn(body)
  const username = usernameIn(body)
  const { cluster, entry } = entryFor(call, 'eks:UpdateAccessEntry', wishKeys(groups, username))
  if (entry.type !== 'STANDARD') refuse('ENTRY_TYPE_WRONG', { type: entry.type })
  entry.groups = groups ?? entry.groups
  entry.username = username ?? entry.username
  entry.modifiedAt = call.world.clock.now()
  return { accessEntry: shown(cluster, entry) }
}

const deleteAccessEntry: EksHandler = (call) => {
  const { cluster, entry } = entryFor(call, 'eks:DeleteAccessEntry')
  cluster.entries.delete(entry.principalArn)
  return {}
}

const listAccessEntries: EksHandler = (call) => {
  const cluster = clusterFor(call, 'eks:ListAccessEntries')
  checkMode(cluster)
  const { items, nextToken } = pageIn(call.world, call.input, [...cluster.entries.keys()].sort())
  return { accessEntries: items, nextToken }
}

function entryFor(
  call: EksCall,
  action: string,
  extra: [string, string[]][] = [],
): { cluster: Cluster; entry: AccessEntry } {
  const cluster = call.world.clusters.get(clusterArn(call))
  const principal = checkedPrincipal(call.input.labels['principalArn'] ?? '')
  const entry = cluster?.entries.get(principal)
  const resource = entry?.arn ?? `${entryArn({ arn: clusterArn(call) }, principal)}/*`
  authorize(call.caller, action, resource, [...tagKeys('ResourceTag', entry?.tags ?? new Map()), ...extra])
  if (!cluster) return unknownCluster(call)
  checkMode(cluster)
  return entry ? { cluster, entry } : refuse('ENTRY_UNKNOWN')
}

function checkMode({ authenticationMode }: Cluster): void {
  if (authenticationMode === 'CONFIG_MAP') refuse('ENTRY_MODE_WRONG')
}

/** Without the unique id at its end. */
function entryArn({ arn }: Pick<Cluster, 'arn'>, principalArn: string): string {
  const [, , , , account = '', resource = ''] = principalArn.split(':')
  const [kind, ...rest] = resource.split('/')
  return `${arn.replace(':cluster/', ':access-entry/')}/${kind}/${account}/${rest.at(-1)}`
}

const shown = (cluster: Cluster, entry: AccessEntry) => ({
  clusterName: cluster.name,
  principalArn: entry.principalArn,
  kubernetesGroups: entry.groups,
  accessEntryArn: entry.arn,
  createdAt: entry.createdAt.getTime() / 1000,
  modifiedAt: entry.modifiedAt.getTime() / 1000,
  tags: Object.fromEntries(entry.tags),
  username: entry.username,
  type: entry.type,
})

export const accessEntryActions: Record<string, EksHandler> = {
  CreateAccessEntry: createAccessEntry,
  DescribeAccessEntry: describeAccessEntry,
  UpdateAccessEntry: updateAccessEntry,
  DeleteAccessEntry: deleteAccessEntry,
  ListAccessEntries: listAccessEntries,
}
