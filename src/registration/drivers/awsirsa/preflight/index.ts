/** What has to be in IAM before a hub starts or a cluster joins, looked at with the credentials of whoever asks. */
export type { Preflight, PreflightOptions } from './check.ts'
export { checkClusterRole, checkHubRole } from './check.ts'
export type { PreflightAws } from './look.ts'
export { preflightAws } from './sdk.ts'
