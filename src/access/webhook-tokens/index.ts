/** The tokens that API servers show to the authorization webhook: some random bytes a cluster, kept as digests. */
export type { TokenDeps, TokenOptions } from './make.ts'
export { defaultOverlapMs, hasWebhookToken, makeWebhookToken } from './make.ts'
export type { WebhookTokens } from './watched.ts'
export { webhookTokens } from './watched.ts'
