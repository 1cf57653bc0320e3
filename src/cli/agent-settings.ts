import { agentNamespace } from '../fleet/names.ts'
import type { AgentSettings } from '../registration/agent/deps.ts'
import type { AgentOptions } from './agent.ts'
import { agentAwsFlagsOf } from './agent-driver.ts'
import { failures } from './failures.ts'
import { agentGates, gatesWith } from './feature-gates.ts'
import { refuseLater } from './registration-drivers.ts'

/** Options of flags whose matter comes later. */
const later = {
  grpcBootstrapConfig: '--grpc-bootstrap-config',
  grpcConfig: '--grpc-config',
}

/** The settings that flags ask for. Throws for what could not be meant. */
export function agentSettingsOf(flags: AgentOptions, found: { namespace: string; spokeCa?: string | undefined }) {
  agentAwsFlagsOf(flags)
  refuseLater(flags, later)
  const gates = gatesWith(agentGates, flags.featureGates)
  const kubeconfigs = [
    ...(flags.bootstrapKubeconfig ? [flags.bootstrapKubeconfig] : []),
    ...(flags.bootstrapKubeconfigs ?? []),
  ]
  if (kubeconfigs.length === 0 && flags.bootstrapKubeconfigSecret === '') throw failures.AGENT_NO_BOOTSTRAP()
  if (gates.MultipleHubs && kubeconfigs.length < 2) throw failures.AGENT_ONE_HUB()
  const clusterName = flags.spokeClusterName ?? flags.clusterName
  const agentName = flags.agentId ?? flags.agentName
  const settings: AgentSettings = {
    namespace: flags.namespace ?? (found.namespace === 'default' ? agentNamespace : found.namespace),
    ...(clusterName && { clusterName }),
    ...(agentName && { agentName }),
    hubKubeconfigSecret: flags.hubKubeconfigSecret,
    hubKubeconfigDir: flags.hubKubeconfigDir,
    bootstrapKubeconfigs: kubeconfigs,
    bootstrapKubeconfigSecret: flags.bootstrapKubeconfigSecret,
    hubConnectionTimeoutMs: flags.hubConnectionTimeoutSeconds * 1_000,
    clientCertExpirationSeconds: flags.clientCertExpirationSeconds,
    externalServerUrls: (flags.spokeExternalServerUrls ?? []).map((url) => ({
      url,
      ...(found.spokeCa !== undefined && { caBundle: Buffer.from(found.spokeCa).toString('base64') }),
    })),
    clusterAnnotations: flags.clusterAnnotations ?? {},
    createRetryMs: flags.createRetryPeriod,
    resyncMs: flags.resyncPeriod,
    member: {
      healthCheckPeriodMs: flags.clusterHealthcheckPeriod,
      maxCustomClusterClaims: flags.maxCustomClusterClaims,
      reservedClusterClaimSuffixes: flags.reservedClusterClaimSuffixes ?? [],
      features: { clusterClaim: gates.ClusterClaim, clusterProperty: gates.ClusterProperty },
    },
  }
  return settings
}
