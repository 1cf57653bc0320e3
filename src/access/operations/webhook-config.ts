import { stringify } from 'yaml'
import { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Secret } from '../../core/secret.ts'
import type { Kube } from '../../kube/kube.ts'
import { compilePolicies } from '../policies/index.ts'
import type { TokenDeps } from '../webhook-tokens/index.ts'
import { hasWebhookToken, makeWebhookToken } from '../webhook-tokens/index.ts'
import type { FailurePolicy, WebhookPlan } from './authorization-config.ts'
import { authorizationConfig, fileNames, webhookKubeconfig } from './authorization-config.ts'
import { failures } from './failures.ts'

export type { FailurePolicy, WebhookPlan } from './authorization-config.ts'
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

/**
 * What counts where no hub answers in time. A policy that RBAC overrules whenever the hub is late forbids nothing: one
 * person can make it late, by some thousand requests at once. Where no policy is for the cluster, nobody is locked out.
 */
export async function failurePolicyFor(cluster: string, kube: Kube, signal: AbortSignal): Promise<FailurePolicy> {
  const { items } = await kube.of(DenyPolicy.resource).list({ signal })
  return compilePolicies(items).isFor(cluster, undefined) ? 'Deny' : 'NoOpinion'
}

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
