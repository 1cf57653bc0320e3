/**
 * From a ClusterConfig to a connection. `way` decides how the hub gets in, `secret-value` reads what that takes, `trust/`
 * says who vouches for the cluster, `oidc/` gets tokens, and `spokes` keeps one open client for each cluster.
 */
export type * from './contract.ts'
export { defaultSpokeSettings } from './contract.ts'
export { failures as spokeFailures } from './failures.ts'
export { reasonOf } from './reason-of.ts'
export { reasons as spokeReasons } from './reasons.ts'
export { concerns } from './secret-changes.ts'
export type { SpokesDeps } from './spokes.ts'
export { createSpokes } from './spokes.ts'
export type { SpokeView } from './view.ts'
export { spokeView } from './view.ts'
export { clusterIdOf, secretsOf, wayOf } from './way.ts'
