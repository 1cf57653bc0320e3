import { egressRules } from '../core/egress.ts'
import type { SpokeSettings } from '../fleet/spoke/index.ts'
import type { ReachSettings } from '../reach/hub/deps.ts'
import { defaultReachSettings } from '../reach/hub/deps.ts'
import type { ReachConfig } from './reach-schema.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the hub is told of its way into clusters, from how people write it and from where it runs. */
export function spokeSettingsOf(config: ReachConfig, env: Environment): SpokeSettings {
  const { trustOnFirstUse, rewriteLoopback, egress, qps, burst, breaker } = config
  const insideCluster = Boolean(env['KUBERNETES_SERVICE_HOST'])
  return {
    trustOnFirstUse,
    insideCluster,
    rewriteLoopback: rewriteLoopback ?? env['BREAKGLASS_DISABLE_LOOPBACK_REWRITE'] !== 'true',
    egress: egressRules(egress, { inPod: insideCluster }),
    qps,
    burst,
    breaker: breaker.enabled ? { failures: breaker.failures, openMs: breaker.openSeconds * 1_000 } : undefined,
  }
}

export const reachSettingsOf = ({ checkInterval, checkDeadline }: ReachConfig): ReachSettings => ({
  ...defaultReachSettings,
  checkIntervalMs: checkInterval * 1_000,
  checkDeadlineMs: checkDeadline * 1_000,
})
