/** The AuthorizationConfiguration that has the API server of a cluster ask the hub. Nothing here is secret. */
import { posix } from 'node:path'
import type { Secret } from '../../core/secret.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../../kube/kubeconfig/index.ts'

export interface WebhookPlan {
  readonly cluster: string
  /** Of the hub, as the API server reaches it; without a slash at the end. */
  readonly url: string
  /** PEM of who vouches for it. Absent: the roots of the API server's machine. */
  readonly ca?: string | undefined
  /** Who the hub is on the cluster. */
  readonly hubUser: string
  /** The folder on the machines of the API server. */
  readonly at: string
  /** How long the API server remembers a yes. */
  readonly authorizedTtlMs: number
  /** How long it remembers that the hub had nothing to say. Absent: 5 s. */
  readonly refusedTtlMs?: number
  /** What counts where the hub does not answer in time whether a policy forbids something. Absent: NoOpinion. */
  readonly failurePolicy?: FailurePolicy | undefined
}

export type FailurePolicy = 'NoOpinion' | 'Deny'

/** Where each of the files belongs in the folder. */
export const fileNames = {
  config: 'authorization-config.yaml',
  policies: 'policies.kubeconfig',
  breakglass: 'breakglass.kubeconfig',
  token: 'webhook-token',
} as const

/** Twice what the hub takes at most. */
const timeout = '3s'
/** A fresh approval, and a new policy, count after this. */
const defaultRefusedTtlMs = 5_000

/**
 * Policies are asked first, because only what comes before RBAC can forbid what RBAC allows; sessions last, because only
 * then nobody waits for the hub who is allowed anyway. A hub that does not answer has no opinion, unless the plan says
 * otherwise of policies: it must not lock out those whom RBAC lets in.
 */
export const authorizationConfig = (plan: WebhookPlan) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthorizationConfiguration',
  authorizers: [
    webhook(plan, {
      ...{ name: 'lanyard-policies', file: fileNames.policies, failurePolicy: plan.failurePolicy ?? 'NoOpinion' },
      conditions: byName(plan.hubUser),
    }),
    { type: 'Node', name: 'node' },
    { type: 'RBAC', name: 'rbac' },
    webhook(plan, {
      ...{ name: 'breakglass', file: fileNames.breakglass, failurePolicy: 'NoOpinion' },
      conditions: [...byGroups, ...byName(plan.hubUser)],
    }),
  ],
})

interface Entry {
  readonly name: string
  readonly file: string
  readonly failurePolicy: FailurePolicy
  readonly conditions: readonly string[]
}

const webhook = (
  { at, authorizedTtlMs, refusedTtlMs = defaultRefusedTtlMs }: WebhookPlan,
  { name, file, failurePolicy, conditions }: Entry,
) => ({
  type: 'Webhook',
  name,
  webhook: {
    timeout,
    authorizedTTL: goDuration(authorizedTtlMs),
    unauthorizedTTL: goDuration(refusedTtlMs),
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy,
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: posix.join(at, file) },
    matchConditions: conditions.map((expression) => ({ expression })),
  },
})

const goDuration = (ms: number): string => `${ms}ms`.replace(/000ms$/, 's')

/**
 * People only: neither the components and service accounts of the cluster nor the hub itself, whose calls would loop. By
 * their names alone: a person who may impersonate themselves chooses the groups they come with, and must not leave the
 * policies by them.
 */
const byName = (hubUser: string): string[] => [
  "!request.user.startsWith('system:')",
  `request.user != ${celText(hubUser)}`,
]

/** Only who is of all these is asked about for sessions, which can but allow. */
const byGroups = [
  "has(request.groups) && 'system:authenticated' in request.groups",
  "!('system:serviceaccounts' in request.groups)",
]

/** A string of CEL takes the same escapes as one of JSON. */
const celText = (text: string): string => JSON.stringify(text)

const webhookPath = '/api/breakglass/webhook/authorize'

/**
 * By a file, and not by the token itself: kube-apiserver reads that file again every minute, so that a rotation needs no
 * restart, whereas it never looks at a kubeconfig again.
 */
export const webhookKubeconfig = (plan: WebhookPlan, scope: 'all' | 'policies'): Secret =>
  formatKubeconfig(
    withContext(emptyKubeconfig, {
      cluster: {
        server: `${plan.url}${webhookPath}/${encodeURIComponent(plan.cluster)}${scope === 'policies' ? '/policies' : ''}`,
        ...(plan.ca !== undefined && { certificateAuthorityData: plan.ca }),
      },
      user: { tokenFile: posix.join(plan.at, fileNames.token) },
      names: { cluster: 'lanyard', user: 'kube-apiserver', context: 'webhook' },
    }),
  )
