import type { Tags } from '../tags.ts'

/** How the hub's EKS cluster knows a role: by an access entry, or by an entry in the ConfigMap aws-auth. */
export type MappingKind = 'access-entry' | 'aws-auth'

/** Who a role is inside the hub. */
export interface Mapped {
  username: string
  groups: readonly string[]
}

/** A mapping as it is found. */
export interface FoundMapping extends Mapped {
  kind: MappingKind
  /** Access entries only, as is the next. */
  tags?: Tags
  madeAt?: Date
  /** Whether it is wrong besides: an access entry has to go first, as its type cannot be changed. */
  isUnfit?: boolean
}

/** The mappings of one kind. */
export interface Mappings {
  readonly kind: MappingKind
  find(roleArn: string): Promise<FoundMapping | undefined>
  /** Makes it, or makes user name and groups as they should be. */
  put(roleArn: string, mapped: Mapped, tags: Tags, found: FoundMapping | undefined): Promise<void>
  /** Adds and overwrites; a mapping that can have none is left as it is. */
  tag(roleArn: string, tags: Tags): Promise<void>
  /** Does nothing when there is none. */
  remove(roleArn: string): Promise<void>
}
