import type { Secret } from '../../core/secret.ts'
import type { ClusterFacts } from '../cluster.ts'

export interface Capabilities {
  /** `find` returns the secret of an account that exists: a crash after a create costs nothing. */
  rereadSecret: boolean
  /** A removed account keeps its name, and `recover` brings it back. */
  softDelete: boolean
  /** `disable` and `enable` instead of removal and creation, for a suspension. */
  disable: boolean
  /** Accounts end by themselves: `Account.expiresAt` is set. */
  nativeExpiry: boolean
  /** The secret is ours to choose, so that it is stored before the call. */
  choosesSecret: boolean
}

export interface NameRequest {
  /** Absent: for the pool. */
  cluster?: ClusterFacts
  /** Of the credential, counted a cluster and registry from 0. */
  generation: number
}

/** What a registry gives. */
export interface Account {
  /** Exactly as the registry returned it; never with a colon. */
  username: string
  token: Secret
  /** What it needs besides the name to remove it. */
  ref?: string
  /** By the registry's clock. */
  expiresAt?: Date
}

export interface Found {
  name: string
  /** Absent where the registry does not tell a secret twice. */
  account?: Account
  ref?: string
  isDisabled?: boolean
  /** By the mark of this installation that the account carries. Absent where accounts carry none. */
  isOurs?: boolean
}

export interface CreateRequest {
  name: string
  /** Only where the driver chooses secrets. */
  secret?: Secret
  cluster?: ClusterFacts
}

/**
 * One registry's accounts. A driver knows the protocol and nothing of clusters' lives: no database, no locks, no retries
 * of its own beyond what `registries/http` does. It throws failures of the catalogue only:
 * - REGISTRY_NAME_TAKEN: the name exists, ours or not; the caller's record decides
 * - REGISTRY_UNCERTAIN: nobody knows whether it happened (timeout, connection lost, 5xx after a create)
 * - REGISTRY_UNAVAILABLE: it did not happen, later it may (429, open breaker, budget, refused connection)
 * - REGISTRY_UNAUTHORIZED: our own credentials are refused
 * - REGISTRY_REFUSED: it never will happen like this
 */
export interface RegistryDriver {
  readonly id: string
  readonly capabilities: Capabilities
  /** Pure but for randomness. Throws PULL_NAME_IMPOSSIBLE when no legal name can be made; nothing is called then. */
  nameFor(request: NameRequest): string
  /** Whether a stored name may be put into a path. What is not is never sent. */
  isSafeName(name: string): boolean
  /** A new account, ready to pull (for Quay: in its team). What it cannot finish it has removed again, or it throws REGISTRY_UNCERTAIN. */
  create(request: CreateRequest, signal: AbortSignal): Promise<Account>
  /** By exactly this name. Undefined: there is none, or it is deleted softly. */
  find(name: string, signal: AbortSignal): Promise<Found | undefined>
  /**
   * Makes an account that exists ready to pull, after a crash within `create`. Where the driver chooses secrets it needs
   * the one on record, and makes it the account's secret.
   */
  finish?(found: Found, signal: AbortSignal, secret?: Secret): Promise<Account>
  /** Only with softDelete. Undefined: there is nothing to recover, or it came back without a secret. */
  recover?(name: string, signal: AbortSignal): Promise<Account | undefined>
  /** One that is not there counts as removed. */
  remove(target: { name: string; ref?: string }, signal: AbortSignal): Promise<void>
  /** Only with `disable`. */
  disable?(target: { name: string; ref?: string }, signal: AbortSignal): Promise<void>
  /** Only with `disable`: back, with a new secret. Undefined: there is nothing to enable. */
  enable?(target: { name: string; ref?: string }, signal: AbortSignal): Promise<Account | undefined>
  /** Whether the credential is let in, asked of the registry itself. */
  validate(account: Pick<Account, 'username' | 'token'>, signal: AbortSignal): Promise<boolean>
  /** Looks once whether we are let in and what accounts need is there (the team); throws as above. */
  check(signal: AbortSignal): Promise<void>
}
