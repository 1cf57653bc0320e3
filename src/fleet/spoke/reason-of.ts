import { isFailure } from '../../core/failure.ts'
import type { Reason } from '../../core/reason.ts'
import { KubeFailure } from '../../kube/failures.ts'
import type { failures } from './failures.ts'
import { reasons } from './reasons.ts'

const byCode: Readonly<Record<Exclude<keyof typeof failures, symbol>, Reason>> = {
  SPOKE_UNKNOWN: reasons.ValidationFailed,
  SPOKE_AMBIGUOUS: reasons.ValidationFailed,
  SPOKE_INVALID: reasons.ValidationFailed,
  SPOKE_NO_OIDC: reasons.OIDCConfigMissing,
  SPOKE_PROVIDER_UNUSABLE: reasons.ValidationFailed,
  SPOKE_SECRET_MISSING: reasons.SecretMissing,
  SPOKE_SECRET_KEY_MISSING: reasons.SecretKeyMissing,
  SPOKE_CA_SECRET_MISSING: reasons.OIDCCASecretMissing,
  SPOKE_SECRET_UNREADABLE: reasons.ValidationFailed,
  SPOKE_KUBECONFIG_UNUSABLE: reasons.KubeconfigParseFailed,
  SPOKE_DISCOVERY_FAILED: reasons.OIDCDiscoveryFailed,
  SPOKE_TOKEN_REFUSED: reasons.OIDCTokenFetchFailed,
  SPOKE_REFRESH_REFUSED: reasons.OIDCRefreshFailed,
  SPOKE_TRUST_FAILED: reasons.TOFUFailed,
  SPOKE_TRUST_CHANGED: reasons.TOFUFailed,
  SPOKE_UNVOUCHED: reasons.ClusterUnreachable,
  SPOKE_UNREACHABLE: reasons.ClusterUnreachable,
  SPOKE_PAUSED: reasons.ClusterUnreachable,
}

/** Of the condition Ready. Undefined for what is no failure on the way into a cluster: a defect, or the hub itself. */
export function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof KubeFailure) return reasons.ClusterUnreachable
  if (!isFailure(error)) return undefined
  if (error.code === 'EGRESS_DENIED') return reasons.EgressDenied
  if (error.code.startsWith('KUBE_')) return reasons.ClusterUnreachable
  // Of a PEM text that people gave, and that nothing before could name better.
  if (error.code.startsWith('PKI_')) return reasons.ValidationFailed
  return (byCode as Readonly<Record<string, Reason>>)[error.code]
}
