import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Stored } from '../../kube/objects.ts'

/** What somebody wants to do on a cluster, as far as policies look at it. */
export interface PolicyRequest {
  readonly cluster: string
  readonly tenant: string
  readonly verb: string
  /** Absent: a path is asked for. */
  readonly resource?: {
    readonly group: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
  }
  readonly path?: string
}

/** A session that would grant it. */
export interface PolicySession {
  readonly name: string
  readonly denyPolicyRefs: readonly string[]
  readonly podSecurityOverrides?: NonNullable<EscalationSpec['podSecurityOverrides']>
}

/** What has to be asked of the cluster. Called only where the outcome depends on it. */
export interface PolicyFacts {
  /** Undefined: they cannot be had. */
  namespaceLabels(namespace: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>
  /** Undefined: it cannot be had. */
  pod(namespace: string, name: string, signal: AbortSignal): Promise<Pod | undefined>
  /** Whether objects of this kind are in namespaces. Undefined: it cannot be had. */
  isNamespaced(group: string, resource: string, signal: AbortSignal): Promise<boolean | undefined>
}

export type PolicyVerdict =
  | { readonly denied: false; readonly warnings: readonly string[] }
  | {
      readonly denied: true
      readonly policy: string
      /** For people, without the name of the policy. */
      readonly because: string
      readonly isError?: boolean
    }

/** Policies, compiled: replaced whole when one of them changes. */
export interface PolicySet {
  /** Whether any policy could match, by the index alone: false means that `evaluate` need not be called. */
  mayMatch(request: PolicyRequest, sessions: readonly PolicySession[]): boolean
  /** Whether any of those for everybody holds on the cluster, whatever is asked. `tenant`: undefined where it is not known. */
  isFor(cluster: string, tenant: string | undefined): boolean
  /**
   * Those that apply to everybody on the cluster. Answers at once where nothing has to be asked. `sessions` are those
   * that stand for the user now: where one of them overrides the pod rules, these let the request through.
   */
  evaluate(
    request: PolicyRequest,
    facts: PolicyFacts,
    signal: AbortSignal,
    sessions?: readonly PolicySession[],
  ): PolicyVerdict | Promise<PolicyVerdict>
  /**
   * Those that apply to what one session grants: by its name, and by its denyPolicyRefs. A ref that names nothing denies.
   * Pod rules for everybody are asked once more, with the overrides of this session alone.
   */
  evaluateFor(
    session: PolicySession,
    request: PolicyRequest,
    facts: PolicyFacts,
    signal: AbortSignal,
  ): PolicyVerdict | Promise<PolicyVerdict>
}

export type CompilePolicies = (policies: readonly Stored<DenyPolicy>[]) => PolicySet
