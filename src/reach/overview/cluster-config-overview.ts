import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Condition, ConditionStatus } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import { spokeConditions, spokeLabels } from '../../fleet/spoke/names.ts'
import type { Stored } from '../../kube/objects.ts'

/** How the way into a cluster stands, in the terms people ask for. */
export interface ClusterConfigOverview {
  readonly name: string
  readonly namespace: string
  /** Unknown: nobody has looked since it was last changed. */
  readonly ready: ConditionStatus
  readonly reason?: string
  readonly message?: string
  readonly auth: 'Kubeconfig' | 'OIDC'
  /** Where calls go; what the ClusterConfig says until that is known. */
  readonly server?: string
  /** How its API server is trusted. */
  readonly trust?: string
  readonly fingerprint?: string
  /** Of a CA that the API server shows and nobody confirmed. */
  readonly offeredFingerprint?: string
  /** Whether the hub may do there what it has to. */
  readonly permissions: ConditionStatus
  /** Conditions that are True and should not be. */
  readonly warnings: readonly string[]
  readonly issuer?: string
  readonly identityProvider?: string
  /** The Secrets it names, `namespace/name`. */
  readonly secrets: readonly string[]
  /** Who made it: `lanyard reach add`, the agent of the cluster, or somebody else. */
  readonly madeBy: 'reach add' | 'handover' | 'others'
  readonly createdAt: Date
}

const badWhenTrue = [
  spokeConditions.refreshTokenExpired,
  spokeConditions.degradedAuth,
  spokeConditions.throttled,
  spokeConditions.insecureTls,
]

export function clusterConfigOverview(config: Stored<ClusterConfig>): ClusterConfigOverview {
  const { name, namespace = '', labels = {}, generation, creationTimestamp } = config.metadata
  const { spec, status = {} } = config
  const conditions = conditionsOf(config)
  const isOfThisSpec = status.observedGeneration === generation
  const ready = isOfThisSpec ? findCondition(conditions, spokeConditions.ready) : undefined
  const permissions = isOfThisSpec ? findCondition(conditions, spokeConditions.permissionsVerified) : undefined
  const oidc = spec.oidcAuth ?? spec.oidcFromIdentityProvider
  const server = status.server ?? oidc?.server
  const { source, fingerprint, offeredFingerprint } = status.tls ?? {}
  return {
    name,
    namespace,
    ready: ready?.status ?? 'Unknown',
    ...(ready && { reason: ready.reason, message: ready.message }),
    auth: spec.authType ?? (oidc ? 'OIDC' : 'Kubeconfig'),
    ...(server !== undefined && { server }),
    ...(source && { trust: source }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(offeredFingerprint !== undefined && { offeredFingerprint }),
    permissions: permissions?.status ?? 'Unknown',
    warnings: badWhenTrue.filter((type) => findCondition(conditions, type)?.status === 'True'),
    ...(spec.oidcAuth && { issuer: spec.oidcAuth.issuerURL }),
    ...(spec.oidcFromIdentityProvider && { identityProvider: spec.oidcFromIdentityProvider.name }),
    secrets: secretsNamed(config),
    madeBy: labels[spokeLabels.added] ? 'reach add' : labels[spokeLabels.handover] ? 'handover' : 'others',
    createdAt: new Date(String(creationTimestamp)),
  }
}

export const conditionsOf = ({ status }: ClusterConfig): Condition[] => (status?.conditions ?? []) as Condition[]

function secretsNamed({ spec }: ClusterConfig): string[] {
  const oidc = spec.oidcAuth ?? spec.oidcFromIdentityProvider
  const references = [
    spec.kubeconfigSecretRef,
    oidc?.clientSecretRef,
    oidc?.refreshTokenSecretRef,
    oidc?.tokenExchange?.subjectTokenSecretRef,
    oidc?.tokenExchange?.actorTokenSecretRef,
    oidc?.caSecretRef,
  ]
  return [...new Set(references.flatMap((reference) => (reference ? `${reference.namespace}/${reference.name}` : [])))]
}
