import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { findCondition } from '../../core/conditions.ts'
import type { spokeReasons } from '../../fleet/spoke/index.ts'
import { spokeConditions } from '../../fleet/spoke/names.ts'
import type { CheckResult } from './check.ts'
import type { ReachHubDeps } from './deps.ts'
import { conditionsOf } from './status-of.ts'

const good = ['KubeconfigValidated', 'OIDCValidated'] as const
const bad = [
  'SecretMissing',
  'SecretKeyMissing',
  'KubeconfigParseFailed',
  'OIDCConfigMissing',
  'OIDCDiscoveryFailed',
  'OIDCTokenFetchFailed',
  'OIDCRefreshFailed',
  'OIDCCASecretMissing',
  'ClusterUnreachable',
  'TOFUFailed',
  'ValidationFailed',
  'EgressDenied',
] as const satisfies readonly (keyof typeof spokeReasons)[]

type ReadyReason = (typeof good | typeof bad)[number]

const unchecked = 'Unchecked'

/** Counts a look at a cluster. The states of all of them are read from what the hub watches anyway. */
export function reachMetrics({ metrics, view }: Pick<ReachHubDeps, 'metrics' | 'view'>) {
  const checks = metrics.counter('lanyard_reach_checks_total', 'Looks at clusters by what they came to', {
    result: [...good, ...bad, 'error'],
  })
  const duration = metrics.histogram('lanyard_reach_check_seconds', 'How long a look at a cluster took', {})
  metrics.gauge(
    'lanyard_reach_clusters_items',
    'ClusterConfigs by the reason of their condition Ready',
    { reason: [...good, ...bad, unchecked] },
    {
      collect(gauge) {
        const counts = new Map<ReadyReason | typeof unchecked, number>(
          [...good, ...bad, unchecked].map((reason) => [reason as ReadyReason, 0]),
        )
        for (const config of view.configs.list()) {
          const reason = reasonOn(config)
          counts.set(reason, (counts.get(reason) ?? 0) + 1)
        }
        for (const [reason, count] of counts) gauge.set({ reason }, count)
      },
    },
  )
  return {
    checked({ failure, by }: CheckResult, seconds: number) {
      const validated = by === 'OIDC' ? 'OIDCValidated' : 'KubeconfigValidated'
      checks.inc({ result: (failure?.reason as string | undefined as ReadyReason | undefined) ?? validated })
      duration.observe(seconds)
    },
    failed: () => checks.inc({ result: 'error' }),
  }
}

function reasonOn(config: ClusterConfig): ReadyReason | typeof unchecked {
  const reason = findCondition(conditionsOf(config), spokeConditions.ready)?.reason
  const known: readonly string[] = [...good, ...bad]
  return reason !== undefined && known.includes(reason) ? (reason as ReadyReason) : unchecked
}
