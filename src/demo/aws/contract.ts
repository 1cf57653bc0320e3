/** A stand-in of AWS IAM, STS and EKS over HTTP, for `lanyard up` and tests. It shares no code with the driver. */
import type { Clock } from '../../core/clock.ts'
import type { AwsFaults } from './faults.ts'
import type { JsonWebKeySet } from './state.ts'

export interface AwsOptions {
  /** Default: the system's. */
  clock?: Clock
  /** Default: one that is free. */
  port?: number
  /** Marks every secret it issues, so that tests can search for it. */
  canary?: string
  /** Of what a list answers at once. Default 100, as AWS. */
  pageSize?: number
  /** Roles an account may have. Default 1000, as AWS. */
  rolesPerAccount?: number
}

/** As the SDK takes them. */
export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  expiration?: Date
}

/** What was called; `caller` is absent when the call was not signed, or not well. */
export interface AwsCall {
  service: AwsService
  action: string
  caller?: string
  /** What it named, tokens left out. */
  input: Readonly<Record<string, string>>
  /** 0 when no answer was given. */
  status: number
  /** Of the refusal. */
  code?: string
  at: Date
}

export type AwsService = 'iam' | 'sts' | 'eks'

export type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP'

export interface AwsRole {
  name: string
  arn: string
  /** `AROA…`: another one once it is deleted and made again. */
  id: string
  /** As GetRole would answer it. */
  trust: unknown
  policies: Readonly<Record<string, unknown>>
  /** ARNs of managed ones. */
  attached: readonly string[]
  tags: Readonly<Record<string, string>>
}

export interface AwsAccessEntry {
  principalArn: string
  arn: string
  username: string
  groups: readonly string[]
  type: string
  tags: Readonly<Record<string, string>>
}

export interface AwsAccount {
  id: string
  /** May do everything in the account. */
  admin: AwsCredentials
  adminArn: string
  roles(): readonly AwsRole[]
  role(name: string): AwsRole | undefined
  /** A user with these policies and no others. */
  user(name: string, ...policies: object[]): AwsCredentials
  /** A session of a role without asking its trust policy, as a pod that AWS itself gave one. */
  session(role: string, options?: { name?: string; seconds?: number }): AwsCredentials
  /** A managed policy on a role, as somebody in a console would attach it. */
  attach(role: string, policyArn: string, document?: object): void
}

export interface ClusterOptions {
  account: string
  name: string
  region?: string
  authenticationMode?: AuthenticationMode
  endpoint?: string
  /** PEM or anything else; the answer carries it in base64. */
  certificateAuthority?: string
  /** Of the service account tokens. */
  issuer?: string
}

export interface AwsCluster {
  arn: string
  name: string
  authenticationMode: AuthenticationMode
  accessEntries(): readonly AwsAccessEntry[]
  /** Who the cluster's API takes the bearer of a token for, by its access entries, or why it is refused. */
  userOf(token: string): { username: string; groups: string[] } | Refused
}

export interface Identity {
  /** Of the session: `arn:aws:sts::…:assumed-role/…`. */
  arn: string
  /** Of the role or user behind it. */
  principalArn: string
  account: string
  userId: string
}

export interface Refused {
  refused: string
}

export interface AwsStandIn extends AsyncDisposable {
  /** Endpoint of all three services. */
  url: string
  /** Made when it is first asked for. The partition matters then only. Default `aws`. */
  account(id: string, options?: { partition?: string }): AwsAccount
  cluster(options: ClusterOptions): AwsCluster
  /** The keys an issuer publishes: AWS fetches them, the stand-in is given them. */
  issuerKeys(issuer: string, keys: JsonWebKeySet): void
  faults: AwsFaults
  calls: readonly AwsCall[]
  /** The caller of an EKS token meant for the cluster of this name, or why it is refused. */
  identityOf(token: string, clusterName: string): Identity | Refused
  close(): Promise<void>
}
