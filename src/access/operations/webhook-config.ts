import { stringify } from 'yaml'
import type { Secret } from '../../core/secret.ts'
import type { TokenDeps } from '../webhook-tokens/index.ts'
import { hasWebhookToken, makeWebhookToken } from '../webhook-tokens/index.ts'
import type { WebhookPlan } from './authorization-config.ts'
import { authorizationConfig, fileNames, webhookKubeconfig } from './authorization-config.ts'
import { failures } from './failures.ts'

export type { WebhookPlan } from './authorization-config.ts'
export { fileNames } from './authorization-config.ts'

/** One file of the folder that an API server is given. */
export interface WebhookFile {
  readonly name: string
  readonly text: string
}

/** All of them but the token. */
export const webhookFiles = (plan: WebhookPlan): WebhookFile[] => [
  { name: fileNames.config, text: stringify(authorizationConfig(plan), { aliasDuplicateObjects: false }) },
  { name: fileNames.policies, text: webhookKubeconfig(plan, 'policies').reveal() },
  { name: fileNames.breakglass, text: webhookKubeconfig(plan, 'all').reveal() },
]

/** Where API servers find the hub. It must be said, since what the hub is bound to need not be what others reach. */
export function webhookUrl(url: string | undefined): string {
  if (url === undefined) throw failures.ACCESS_URL_MISSING()
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:' || parsed.search !== '' || parsed.hash !== '')
    throw failures.ACCESS_URL_INVALID({ url })
  return url.replace(/\/+$/, '')
}

/** The token to give out: undefined where the cluster has one already, and no other is asked for. */
export async function webhookTokenFor(
  cluster: string,
  { rotate, overlapMs }: { rotate: boolean; overlapMs: number },
  deps: TokenDeps,
): Promise<Secret | undefined> {
  if (!rotate && (await hasWebhookToken(cluster, deps))) return undefined
  return makeWebhookToken(cluster, deps, { rotate, overlapMs })
}
