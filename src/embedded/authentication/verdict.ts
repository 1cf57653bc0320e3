import type { BearerToken } from './bearer-token.ts'
import type { User } from './user.ts'
import { system } from './user.ts'

/** What is said of credentials: whose they are, or what is wrong with them. */
export type Verdict = Accepted | Refused

export interface Accepted {
  /** Without the group of all authenticated users. */
  readonly user: User
  /** Of those asked for, the ones the token is good for. Empty for what knows no audiences. */
  readonly audiences: readonly string[]
  readonly notes?: Notes
}

/** What is said of the use of credentials, besides whose they are. */
export interface Notes {
  /** For whoever asked. */
  readonly warning?: string
  /** For the audit log. */
  readonly annotations: Readonly<Record<string, string>>
}

export interface Refused {
  readonly error: string
}

/** Knows one kind of tokens. */
export interface TokenAuthenticator {
  /** Undefined for a token of another kind, or one that is not good for any of the audiences. */
  authenticate(token: BearerToken, audiences: readonly string[]): Verdict | undefined | Promise<Verdict | undefined>
}

export const isAccepted = (verdict: Verdict): verdict is Accepted => 'user' in verdict

export const credentialIdKey = 'authentication.kubernetes.io/credential-id'

/** Several errors as Kubernetes tells them: each once, in brackets where there are more. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/** Whoever got in is authenticated, unless the credentials themselves say otherwise. */
export function asAuthenticated(user: User): User {
  const isMarked = user.groups.includes(system.authenticated) || user.groups.includes(system.unauthenticated)
  if (user.name === system.anonymous || isMarked) return user
  return { ...user, groups: [...user.groups, system.authenticated] }
}

/** For tokens that know no audiences: they are good for this API. */
export const forThisApi = (own: readonly string[], asked: readonly string[]): string[] =>
  asked.filter((audience) => own.includes(audience))
