/** The tokens that API servers show to the authorization webhook: some random bytes a cluster, kept as digests. */
export type { TokenDeps, TokenOptions } from './make.ts'
export { defaultOverlapMs, hasWebhookToken, makeWebhookToken } from './make.ts'
export type { TokenRecord } from './record.ts'
export { recordOf as tokenRecordOf } from './record.ts'
export type { WebhookTokens } from './watched.ts'
export { webhookTokens } from './watched.ts'
