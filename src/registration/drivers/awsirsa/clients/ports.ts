import type { Tags } from '../tags.ts'

/** What the hub asks of IAM and EKS, and nothing more. Every call throws a failure of `../failures.ts`, and no other. */

export interface Role {
  name: string
  arn: string
  createdAt: Date
  /** JSON. A principal that was deleted shows up as its id (`AROA…`) in place of its ARN. */
  trust: string
  tags: Tags
}

export interface NewRole {
  name: string
  trust: string
  tags: Tags
  description: string
}

export interface Iam {
  findRole(name: string): Promise<Role | undefined>
  /** The ARN of the role. */
  createRole(role: NewRole): Promise<string>
  updateTrust(role: string, trust: string): Promise<void>
  /** Adds and overwrites; other tags stay. */
  tagRole(role: string, tags: Tags): Promise<void>
  /** An inline policy as JSON. */
  findPolicy(role: string, policy: string): Promise<string | undefined>
  putPolicy(role: string, policy: string, document: string): Promise<void>
  /** The names of its inline policies and the ARNs of attached ones; nothing of a role that is not there. */
  policiesOf(role: string): Promise<{ inline: string[]; attached: string[] }>
  /** These three do nothing when there is nothing to remove. */
  deletePolicy(role: string, policy: string): Promise<void>
  detachPolicy(role: string, policyArn: string): Promise<void>
  deleteRole(role: string): Promise<void>
}

/** Undefined stands for clusters from before access entries, which know the ConfigMap only. */
export type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP' | undefined

export interface AccessEntry {
  arn: string
  principalArn: string
  username: string
  groups: readonly string[]
  type: string
  tags: Tags
  createdAt: Date
}

export type NewAccessEntry = Pick<AccessEntry, 'principalArn' | 'username' | 'groups' | 'tags'>

/** Of one cluster: the hub's own. */
export interface Eks {
  authenticationMode(): Promise<AuthenticationMode>
  findAccessEntry(principalArn: string): Promise<AccessEntry | undefined>
  createAccessEntry(entry: NewAccessEntry): Promise<void>
  updateAccessEntry(entry: Pick<AccessEntry, 'principalArn' | 'username' | 'groups'>): Promise<void>
  /** Adds and overwrites; other tags stay. */
  tagAccessEntry(arn: string, tags: Tags): Promise<void>
  /** Does nothing when there is nothing to remove. */
  deleteAccessEntry(principalArn: string): Promise<void>
}
