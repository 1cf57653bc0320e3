import type { Addition, AgentIdentity, PodIdentity, PolicyDocument } from '../documents.ts'
import {
  creatorRoleAccess,
  creatorRoleAdditions,
  creatorRolePolicyName,
  creatorRoleTrust,
  managedRoleAccess,
  managedRoleAdditions,
  managedRolePolicyName,
  managedRoleTrust,
} from '../documents.ts'
import type { EksCluster, Wrong } from '../names.ts'
import { creatorRoleName, managedRoleName, principalTags, quoted, roleArn, roleSuffix, whyApart } from '../names.ts'
import type { Tags } from '../tags.ts'

/** A role that people make before a hub starts or a cluster joins. */
export interface NeededRole {
  readonly name: string
  readonly arn: string
  /** For people, on the role itself. */
  readonly description: string
  readonly tags: Tags
  readonly trust: PolicyDocument
  /** Inline. */
  readonly policy: { readonly name: string; readonly document: PolicyDocument }
  readonly additions: readonly Addition[]
}

/** In the account of the hub: with it the hub makes a role for every cluster that it accepts. */
export function hubPrerequisites(hub: EksCluster, identity: PodIdentity): NeededRole | Wrong {
  const name = creatorRoleName(hub)
  if (typeof name !== 'string') return name
  return {
    name,
    arn: roleArn(hub, name),
    description: `The hub ${hub.name} makes the roles of its managed clusters with it`,
    tags: {},
    trust: creatorRoleTrust(hub, identity),
    policy: { name: creatorRolePolicyName, document: creatorRoleAccess(hub) },
    additions: creatorRoleAdditions,
  }
}

/** In the account of the cluster: with it the agent takes the role that the hub makes for it. */
export function clusterPrerequisites(
  hub: EksCluster,
  managed: EksCluster,
  identity: AgentIdentity,
): NeededRole | Wrong {
  const apart = whyApart(hub, managed)
  if (apart !== undefined) return { wrong: apart }
  const name = managedRoleName(roleSuffix(hub, managed))
  return {
    name,
    arn: roleArn(managed, name),
    description: `The agent of ${managed.name} reaches the hub ${hub.name} with it`,
    tags: principalTags(hub, managed),
    trust: managedRoleTrust(managed, identity),
    policy: { name: managedRolePolicyName, document: managedRoleAccess(hub, managed) },
    additions: managedRoleAdditions(identity),
  }
}

const provider = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[A-Za-z0-9._~-]+)*$/
const longestProvider = 255

/** As IAM names it, or as EKS prints it, with https://. */
export function parseOidcProvider(text: string): { readonly oidcProvider: string } | Wrong {
  const oidcProvider = text.replace(/^https:\/\//, '')
  if (oidcProvider.length <= longestProvider && provider.test(oidcProvider)) return { oidcProvider }
  return {
    wrong: `${quoted(text)} is not the OpenID provider of an EKS cluster, which has a host and a path and no port: oidc.eks.eu-west-1.amazonaws.com/id/ABCDEF`,
  }
}
