import { isDeepStrictEqual } from 'node:util'
import type { Failure } from '../../../core/failure.ts'
import { agentUser, clusterGroups } from '../../../fleet/names.ts'
import type { Role } from './clients/ports.ts'
import { hubRoleAccess, hubRolePolicyName, hubRoleTrust } from './documents.ts'
import { failures } from './failures.ts'
import type { FoundMapping, Mapped, MappingKind } from './mapping/mapping.ts'
import type { EksCluster } from './names.ts'
import { hubRoleName, roleArn, roleSuffix } from './names.ts'
import { isSameDocument, readDocument } from './same-document.ts'
import type { Tags } from './tags.ts'
import { ownTags } from './tags.ts'

/** For whom. */
export interface Holder {
  hub: EksCluster
  /** Of the ManagedCluster. */
  name: string
  uid: string
}

/** What an accepted cluster is to have. */
export interface Wanted extends Holder {
  managed: EksCluster
  mapping: MappingKind
  /** What people want on everything that is made. */
  tags: Tags
}

/** What is there under the name of one role. */
export interface World {
  role?: Role
  /** The access policy of the role, as JSON. */
  access?: string
  mappings: readonly FoundMapping[]
  /** All policies of the role. Looked up only to remove it. */
  policies?: { inline: readonly string[]; attached: readonly string[] }
}

export type Step =
  | { step: 'create-role'; role: string; trust: string; tags: Tags }
  | { step: 'write-trust'; role: string; trust: string }
  | { step: 'tag-role'; role: string; tags: Tags }
  | { step: 'write-access'; role: string; policy: string; document: string }
  | { step: 'map'; kind: MappingKind; mapped: Mapped; tags: Tags; found?: FoundMapping }
  | { step: 'tag-mapping'; kind: MappingKind; tags: Tags }
  | { step: 'unmap'; kind: MappingKind }
  | { step: 'remove-policy'; role: string; policy: string }
  | { step: 'detach-policy'; role: string; policyArn: string }
  | { step: 'remove-role'; role: string }

export type Plan = { readonly steps: readonly Step[] } | { readonly refused: Failure }

export const wantedRole = ({ hub, managed }: Pick<Wanted, 'hub' | 'managed'>): string =>
  hubRoleName(roleSuffix(hub, managed))

export const tagsFor = ({ hub, name, uid, tags }: Omit<Wanted, 'managed' | 'mapping'>): Tags => ({
  ...tags,
  [ownTags.hubCluster]: hub.arn,
  [ownTags.managedCluster]: name,
  [ownTags.managedClusterUid]: uid,
})

/**
 * EKS refuses access entries with names that begin with `system:`; the ConfigMap has the seed's. A bare name of a cluster
 * would be that of any user who is called so.
 */
export function mappedFor(kind: MappingKind, cluster: string): Mapped {
  const [ofConfigMap, ofAccessEntry] = clusterGroups(cluster)
  return kind === 'aws-auth'
    ? { username: agentUser(cluster, 'awsirsa'), groups: [ofConfigMap] }
    : { username: ofAccessEntry, groups: [ofAccessEntry] }
}

/** What is to be done, in this order; nothing at all when any part of it is not ours to change. */
export function planToEnsure(wanted: Wanted, world: World): Plan {
  const refused = whyNotOurs(wanted, world)
  if (refused) return { refused }
  const kept = { ...world, mappings: world.mappings.filter((one) => !hasToGo(one, world)) }
  const going = world.mappings.filter((one) => hasToGo(one, world))
  return {
    steps: [
      // First: a role that could be made was missing indeed. Until then its entry may serve one that IAM does not show.
      ...roleSteps(wanted, world),
      ...going.map(({ kind }) => ({ step: 'unmap' as const, kind })),
      ...mappingSteps(wanted, kept),
    ],
  }
}

/** An access entry knows its role by the id and does not serve another one of the same ARN; nor can its type be changed. */
const hasToGo = ({ kind, madeAt, isUnfit }: FoundMapping, { role }: World): boolean =>
  kind === 'access-entry' && (isUnfit === true || !role || (madeAt !== undefined && madeAt < role.createdAt))

function roleSteps(wanted: Wanted, { role: found, access }: World): Step[] {
  const role = wantedRole(wanted)
  const tags = tagsFor(wanted)
  const trust = hubRoleTrust(wanted.hub, wanted.managed)
  const policy = hubRoleAccess(wanted.hub)
  const writeAccess = isDocument(access, policy)
    ? []
    : [{ step: 'write-access' as const, role, policy: hubRolePolicyName, document: JSON.stringify(policy) }]
  if (!found) return [{ step: 'create-role', role, trust: JSON.stringify(trust), tags }, ...writeAccess]
  const missing = missingTags(tags, found.tags)
  return [
    // A managed role that was made again is another principal to IAM, which then shows the id of the old one here.
    ...(isDocument(found.trust, trust) ? [] : [{ step: 'write-trust' as const, role, trust: JSON.stringify(trust) }]),
    ...(missing ? [{ step: 'tag-role' as const, role, tags: missing }] : []),
    ...writeAccess,
  ]
}

function mappingSteps(wanted: Wanted, { mappings }: World): Step[] {
  const { mapping: kind, name } = wanted
  const tags = tagsFor(wanted)
  const mapped = mappedFor(kind, name)
  const found = mappings.find((one) => one.kind === kind)
  const isRight = found && !found.isUnfit && isAsMapped(name, found)
  const missing = found?.tags && !found.isUnfit ? missingTags(tags, found.tags) : undefined
  return [
    ...(isRight ? [] : [{ step: 'map' as const, kind, mapped, tags, ...(found && { found }) }]),
    ...(missing ? [{ step: 'tag-mapping' as const, kind, tags: missing }] : []),
    // Only then: the cluster keeps its access while the hub moves from one kind to the other.
    ...mappings.filter((one) => one.kind !== kind).map((one) => ({ step: 'unmap' as const, kind: one.kind })),
  ]
}

/**
 * Access is cut first, then what can be removed is, and only then is it told what could not. What belongs to others stays,
 * and is not worth a word: this cluster has no part in it. A role on record that has no tags of ours is: it may have lost
 * them. It stays all the same, and nobody waits for it: by a record alone a cluster could be kept from going for good.
 */
export function planToRevoke(holder: Holder, { role, isOnRecord }: Held, world: World): RevokePlan {
  const why = world.role && whyRoleIsForeign(holder, world.role)
  const { inline = [], attached = [] } = world.policies ?? {}
  const isCut = (mapping: FoundMapping) =>
    whyMappingIsForeign(holder, mapping, world.role) === undefined || (isOnRecord && isAsMapped(holder.name, mapping))
  const steps: Step[] = world.mappings.filter(isCut).map(({ kind }) => ({ step: 'unmap', kind }))
  if (world.role && why === undefined)
    steps.push(
      ...inline.map((policy) => ({ step: 'remove-policy' as const, role, policy })),
      ...attached.map((policyArn) => ({ step: 'detach-policy' as const, role, policyArn })),
      { step: 'remove-role', role },
    )
  const isLost = isOnRecord && world.role !== undefined && why !== undefined && !isOfOthers(holder, world.role.tags)
  return isLost ? { steps, left: failures.AWS_ROLE_LEFT({ role, cluster: holder.name, detail: why }) } : { steps }
}

/** A role that a cluster may have. */
export interface Held {
  role: string
  /** This hub wrote that it makes it for the cluster; otherwise only the cluster says so. */
  isOnRecord: boolean
}

export interface RevokePlan {
  readonly steps: readonly Step[]
  /** To be told: what stays though it was on record. */
  readonly left?: Failure
}

function whyNotOurs(wanted: Wanted, { role: found, mappings }: World): Failure | undefined {
  const cluster = wanted.name
  const role = wantedRole(wanted)
  const elsewhere = found && whyElsewhere(wanted.hub, found.arn)
  if (elsewhere) return elsewhere
  const why = found && (whyRoleIsForeign(wanted, found) ?? whyUnderPath(wanted.hub, role, found.arn))
  if (why !== undefined) return failures.AWS_ROLE_FOREIGN({ role, cluster, detail: why })
  for (const mapping of mappings) {
    const detail = whyMappingIsForeign(wanted, mapping, found)
    if (detail === undefined) continue
    const what = mapping.kind === 'aws-auth' ? 'entry in ConfigMap kube-system/aws-auth' : 'EKS access entry'
    return failures.AWS_MAPPING_FOREIGN({ mapping: what, role: roleArn(wanted.hub, role), cluster, detail })
  }
  return undefined
}

/** The uid may be that of an earlier cluster of the same name. */
function whyForeign({ hub, name }: Holder, tags: Tags): string | undefined {
  const { [ownTags.hubCluster]: byHub, [ownTags.managedCluster]: forCluster } = tags
  if (byHub === undefined || forCluster === undefined) return 'it has no tags of Lanyard'
  if (byHub !== hub.arn) return `its tags name the hub ${byHub}`
  if (forCluster !== name) return `its tags name the cluster ${forCluster}`
  return undefined
}

/** Whether tags name another cluster or hub, rather than none. */
function isOfOthers({ hub, name }: Holder, tags: Tags): boolean {
  const { [ownTags.hubCluster]: byHub = hub.arn, [ownTags.managedCluster]: forCluster = name } = tags
  return byHub !== hub.arn || forCluster !== name
}

/** Why a role is not where the mapping would say it is: credentials of another account make and find roles there. */
export function whyElsewhere(hub: EksCluster, arn: string): Failure | undefined {
  const account = arn.split(':')[4] ?? ''
  if (account === hub.account) return undefined
  return failures.AWS_ROLE_ELSEWHERE({ arn, account, hub: hub.arn, hubAccount: hub.account })
}

/** Names of roles are unique without their paths, and this hub makes none under a path. */
const whyUnderPath = (hub: EksCluster, role: string, arn: string): string | undefined =>
  arn === roleArn(hub, role) ? undefined : `its ARN is ${arn}`

const whyRoleIsForeign = (holder: Holder, { tags }: Role): string | undefined => whyForeign(holder, tags)

/** An entry of the ConfigMap has no tags: it belongs to whom its role does, and without a role to whom it names. */
function whyMappingIsForeign(holder: Holder, mapping: FoundMapping, role: Role | undefined): string | undefined {
  if (mapping.tags) return whyForeign(holder, mapping.tags)
  if (role) return whyRoleIsForeign(holder, role)
  return mapping.username === mappedFor(mapping.kind, holder.name).username
    ? undefined
    : `it names the user ${mapping.username}, and there is no role`
}

/** Whether it lets in this cluster, as this hub would. */
const isAsMapped = (cluster: string, { kind, username, groups }: FoundMapping): boolean =>
  isDeepStrictEqual({ username, groups }, mappedFor(kind, cluster))

/** Those that are not there or have another value; undefined when none is. */
function missingTags(wanted: Tags, found: Tags): Tags | undefined {
  const missing = Object.entries(wanted).filter(([key, value]) => found[key] !== value)
  return missing.length > 0 ? Object.fromEntries(missing) : undefined
}

const isDocument = (found: string | undefined, wanted: unknown): boolean =>
  found !== undefined && isSameDocument(readDocument(found), wanted)
