/** Who calls an API of ours, proven by a JWT, a Kubernetes ServiceAccount or a local token, and what they may. */
export type { AccessDeps } from './access.ts'
export { access } from './access.ts'
export type { Access, Identity, Ruling, Verdict } from './contract.ts'
export { openLocalToken } from './local-token.ts'
export { allClustersPermission, operatorPermission } from './roles.ts'
export type { KubeSource, ResourceRule } from './service-accounts.ts'
export type { AccessSettings, IssuerSettings, LimitSettings, RoleSettings } from './settings.ts'
export { accessSettings, defaultAccessSettings, defaultLimits, limitSettings } from './settings.ts'
