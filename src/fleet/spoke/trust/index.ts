/**
 * Who vouches for the API server of a cluster. `capture` sees what it shows, `judge` what that is worth, `decide` what
 * follows from it, `pin` keeps it in a Secret of the hub, `trust-of` puts them together, and `explain` finds out what is
 * wrong when a call is given up because nobody vouches.
 */
export type { TrustDeps } from './deps.ts'
export { explainDistrust } from './explain.ts'
export { readFingerprint } from './fingerprint.ts'
export { placeOf } from './pin.ts'
export type { Trusted } from './trust-of.ts'
export { trustOf } from './trust-of.ts'
