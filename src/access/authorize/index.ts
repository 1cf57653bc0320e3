/**
 * The decision on what a cluster asks about, and the webhook that it asks by. `decide` is the decision, `session-index`,
 * `cluster-index` and `escalation-index` hold what it looks at, `reviews` asks the cluster, `activity` keeps when sessions
 * were used, and `routes` is what API servers call.
 */
export type { ActivityDeps } from './activity.ts'
export { createActivity } from './activity.ts'
export type { AuthorizerDeps } from './authorizer.ts'
export { createAuthorizer } from './authorizer.ts'
export type * from './contract.ts'
export type { ReviewsDeps, RunningReviews } from './reviews.ts'
export { createReviews } from './reviews.ts'
export type { RoutesDeps } from './routes.ts'
export { authorizeRoutes } from './routes.ts'
