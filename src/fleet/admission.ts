import type { RuleWithOperations } from 'kubernetes-types/admissionregistration/v1.d.ts'
import type { KubeObject } from '../kube/objects.ts'

/** `kubernetes-types` has a rule without its resources. */
export interface WebhookRule extends RuleWithOperations {
  resources: string[]
}

/** What a webhook is asked about, and where: all that its entry in a configuration needs. */
export interface WebhookDeclaration {
  /** A DNS name of its own: `managedclusters.validation.lanyard.io`. */
  readonly name: string
  readonly type: 'mutating' | 'validating'
  /** Begins with a slash. */
  readonly path: string
  readonly rules: readonly WebhookRule[]
}

/**
 * An admission webhook, declared once: the same declaration is served by `server/` and makes the webhook's entry in the
 * configuration that `lanyard init` installs. All of ours fail closed.
 */
export interface AdmissionWebhook extends WebhookDeclaration {
  /** Whatever it throws is answered as a 500 that refuses the request. */
  decide(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict>
}

/** The request of an AdmissionReview of `admission.k8s.io/v1`, as far as we look at it. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  uid: string
  kind: { group: string; version: string; kind: string }
  resource: { group: string; version: string; resource: string }
  subResource?: string
  name?: string
  namespace?: string
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  userInfo: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> }
  object?: T | null
  oldObject?: T | null
  dryRun?: boolean
}

export type Verdict =
  | { readonly allowed: true; readonly patch?: readonly PatchOperation[]; readonly warnings?: readonly string[] }
  | { readonly allowed: false; readonly code: 400 | 403 | 500; readonly message: string }

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove'
  path: string
  value?: unknown
}

export const allowed: Verdict = { allowed: true }
/** The request itself is wrong; the message names the field. */
export const badRequest = (message: string): Verdict => ({ allowed: false, code: 400, message })
/** The user may not do this. */
export const forbidden = (message: string): Verdict => ({ allowed: false, code: 403, message })
