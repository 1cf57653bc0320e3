/**
 * The webhook by which an API server on EKS knows the bearers of AWS tokens, as aws-iam-authenticator has it. It shares no
 * code with the driver, so that one does not vouch for the mistakes of the other.
 */
export type { AwsAuthData } from './aws-auth.ts'
export type { ReviewStatus } from './judge.ts'
export type { Authenticator, AuthenticatorOptions } from './start.ts'
export { startAuthenticator } from './start.ts'
