import type { Secret } from '../../core/secret.ts'
import type { Caller } from '../rest.ts'

/** Who somebody is, whatever they ask for. */
export type Identity = Omit<Caller, 'traceId' | 'traceparent'>

/** `unavailable`: nobody can tell at present, because what has to be asked does not answer. */
export type Verdict = { identity: Identity } | { refused: 'none' | 'wrong' | 'expired' | 'unavailable' }
export type Ruling = 'yes' | 'no' | 'unavailable'

/** Who calls, and what they may. Says so and throws nothing: the server has the words. */
export interface Access {
  authenticate(token: Secret | undefined, signal: AbortSignal): Promise<Verdict>
  /** For one cluster, or for all of them. */
  may(identity: Identity, permission: string, cluster: string | undefined, signal: AbortSignal): Promise<Ruling>
  /** Whether the cluster is theirs, by the configured source. Its owner is looked up only where that is asked. */
  owns(identity: Identity, cluster: Owned, signal: AbortSignal): Promise<Ruling>
  /** Whether they may ask about all clusters at once: lists, and what names a cluster in its body. */
  reachesAll(identity: Identity): boolean
  /** Whose what they make is; undefined for those who work for others. */
  ownerName(identity: Identity): string | undefined
}

export interface Owned {
  id: string
  owner(): Promise<string | undefined>
}

/** One way to prove who one is. Undefined: the token is not of this kind. */
export type Authenticator = (token: Secret, signal: AbortSignal) => Promise<Verdict | undefined>
