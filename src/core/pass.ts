import type { Outcome } from './outcome.ts'
import type { Reason } from './reason.ts'
import type { Secret } from './secret.ts'

/** The job a pass belongs to. `check` is the toy pass of `lanyard up --check`. */
export type PassKind = 'join' | 'addon' | 'reach' | 'access' | 'pull' | 'check'

/** A pass as the ledger knows it. Never the secret itself. */
export interface Pass {
  readonly id: string
  readonly kind: PassKind
  readonly holder: string
  readonly issuer: string
  /** When its life began: for a certificate the later of its notBefore and its receipt, because signers back-date. */
  readonly issuedAt: Date
  /** Absent: it does not expire by itself. */
  readonly expiresAt?: Date
  /** Absent from an issuer: the keep-fresh loop sets it. */
  readonly renewAt?: Date
  /** Where the material is, in words a person can follow: `secret/lanyard-agent/hub-kubeconfig`. */
  readonly keptIn: string
  /** Identifies the material without giving it away. */
  readonly fingerprint: string
  readonly state: Reason
}

/** A pass with its material. Plain data. */
export interface Kept<M> {
  readonly pass: Pass
  readonly material: M
}

/** A request on its way. Plain data, saved before the issuer hears of it; its name finds the request again. */
export interface Pending {
  readonly name: string
  readonly createdAt: Date
  /** What the request cannot be finished without, such as the private key. */
  readonly material?: Secret
  /** Refusals in a row so far. Kept by the loop. */
  readonly refusals?: number
  /** The issuer said no: this request is over, and a new one may start at `retryAt`. Kept by the loop. */
  readonly refused?: { readonly reason: Reason; readonly at: Date; readonly retryAt: Date; readonly message?: string }
}

export type Step<M> =
  /** Also the answer while what is kept is still good: the same pass and material again. */
  | { readonly step: 'granted'; readonly pass: Pass; readonly material: M }
  /** An approval may take days. A `pending` that differs from the one passed in is saved, then `next` is called again. */
  | { readonly step: 'waiting'; readonly for: Reason; readonly wake?: Date; readonly pending?: Pending }
  | { readonly step: 'refused'; readonly reason: Reason; readonly message?: string; readonly retryAt?: Date }

/**
 * The asking half. Re-entrant: one effect a call, nothing in memory that a restart would lose. M is the secret material.
 * To throw means that the issuer could not be asked: the loop tries again with back-off.
 */
export interface Issuance<M> {
  next(now: Date, kept?: Kept<M>, pending?: Pending): Promise<Step<M>>
}

/** Where a pass and a pending request live (a Secret, a file, a row). */
export interface Keep<M> {
  load(): Promise<{ kept?: Kept<M>; pending?: Pending }>
  /** Returns once a crash can no longer lose it. What is kept stays. */
  savePending(pending: Pending): Promise<void>
  /** The same, and forgets the pending request in the same write. */
  save(kept: Kept<M>): Promise<void>
}

/** The granting half: RBAC, an IAM role, a service account, a registry account, a session. Idempotent both ways. */
export interface Grant<R> {
  /** Once the signal aborts, nothing more is begun: somebody else may be at work on the same by then. */
  ensure(request: R, signal?: AbortSignal): Promise<Outcome>
  revoke(request: R, signal?: AbortSignal): Promise<Outcome>
}

/** What every job tells the ledger. */
export interface Passes {
  list(): AsyncIterable<Pass>
  /** Every change from now on; the last one of a pass that is gone has an `expiresAt` in the past. */
  changes(signal: AbortSignal): AsyncIterable<Pass>
}
