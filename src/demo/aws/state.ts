import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { AuthenticationMode } from './contract.ts'
import type { PolicyDocument, TrustDocument } from './policy-document.ts'

export type JsonWebKeySet = { keys: { kty: string; [field: string]: unknown }[] }

/** Who looks for a role that is new: each of them learns of it at its own pace. */
export type Onlooker = 'eks' | 'trust'

export interface Role {
  account: Account
  name: string
  path: string
  arn: string
  id: string
  createdAt: Date
  description?: string
  maxSessionSeconds: number
  /** Its principals are unique ids, not ARNs: see `trust-principals.ts`. */
  trust: TrustDocument
  /** As they were put. */
  inline: Map<string, string>
  /** By ARN. */
  attached: Map<string, PolicyDocument | undefined>
  tags: Map<string, string>
  unseenBy: Record<Onlooker, number>
}

export interface User {
  account: Account
  name: string
  arn: string
  id: string
  policies: PolicyDocument[]
}

export interface Provider {
  arn: string
  /** Without `https://`. */
  host: string
  audiences: string[]
}

export interface Account {
  id: string
  partition: string
  /** By name in lower case, as AWS compares them. */
  roles: Map<string, Role>
  users: Map<string, User>
  providers: Map<string, Provider>
}

export interface Session {
  role: Role
  name: string
  token: string
  expiresAt: Date
  tags: Map<string, string>
  /** Narrows what the role may. */
  policy?: PolicyDocument
}

export type AccessKey = { id: string; secret: string } & ({ user: User } | { session: Session })

export interface AccessEntry {
  arn: string
  principalArn: string
  /** One made anew under the ARN is somebody else: the entry does not work for it. */
  principalId: string
  username: string
  groups: string[]
  type: string
  tags: Map<string, string>
  createdAt: Date
  modifiedAt: Date
}

export interface Cluster {
  account: Account
  arn: string
  name: string
  region: string
  authenticationMode: AuthenticationMode
  endpoint: string
  certificateAuthority: string
  issuer: string
  createdAt: Date
  entries: Map<string, AccessEntry>
  tags: Map<string, string>
}

export interface World {
  clock: Clock
  canary: string
  pageSize: number
  rolesPerAccount: number
  /** Looks for which a role made from now on stays unseen. */
  newRoleLag: number
  /** Reads from now on that do not find what is there. */
  readLag: { roles: number; entries: number }
  accounts: Map<string, Account>
  keys: Map<string, AccessKey>
  /** By ARN. */
  clusters: Map<string, Cluster>
  issuers: Map<string, JsonWebKeySet>
}

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** `AROA`, `AIDA`, `AKIA`, `ASIA` and what AWS puts behind them. */
export const uniqueId = (prefix: string): string =>
  prefix + [...randomBytes(17)].map((byte) => idAlphabet[byte % idAlphabet.length]).join('')

export const secretOf = ({ canary }: World, bytes: number): string => canary + randomBytes(bytes).toString('base64')

export const rolesOf = ({ accounts }: World): Role[] =>
  [...accounts.values()].flatMap(({ roles }) => [...roles.values()])

export const isLive = ({ account, name, id }: Role): boolean => account.roles.get(name.toLowerCase())?.id === id

/** A role as one who may not have heard of it yet sees it. Each look brings the news nearer. */
export function lookFor(world: World, arn: string, onlooker: Onlooker): Role | undefined {
  const role = rolesOf(world).find((other) => other.arn === arn)
  if (!role || role.unseenBy[onlooker] === 0) return role
  role.unseenBy[onlooker] -= 1
  return undefined
}

/** Whether this read of something that exists comes too early. Each one brings the news nearer. */
export function isUnread({ readLag }: World, what: keyof World['readLag']): boolean {
  if (readLag[what] === 0) return false
  readLag[what] -= 1
  return true
}
