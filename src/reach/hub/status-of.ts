import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { findCondition, setCondition } from '../../core/conditions.ts'
import { spokeConditions } from '../../fleet/spoke/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { CheckResult } from './check.ts'
import { degradedAuth, refreshTokenExpired } from './status/auth.ts'
import { insecureTls } from './status/insecure-tls.ts'
import { permissionsVerified } from './status/permissions-verified.ts'
import { ready } from './status/ready.ts'
import { throttled } from './status/throttled.ts'
import { tlsOf } from './status/tls.ts'

export type Status = NonNullable<ClusterConfig['status']>

export interface Facts {
  readonly config: Stored<ClusterConfig>
  readonly result: CheckResult
  readonly now: Date
  /** As it stands now. */
  readonly before?: Condition
}

/** Undefined: there is nothing to say that is not said already. */
export type Rule = (facts: Facts) => Pick<ConditionReport, 'status' | 'reason' | 'message'> | undefined

const rules: readonly (readonly [type: string, rule: Rule])[] = [
  [spokeConditions.ready, ready],
  [spokeConditions.permissionsVerified, permissionsVerified],
  [spokeConditions.refreshTokenExpired, refreshTokenExpired],
  [spokeConditions.degradedAuth, degradedAuth],
  [spokeConditions.throttled, throttled],
  [spokeConditions.insecureTls, insecureTls],
]

/** The status after a look at the cluster. A condition of which True is bad appears once it is True, not before. */
export function statusOf(config: Stored<ClusterConfig>, result: CheckResult, now: Date): Status {
  const { generation } = config.metadata
  const conditions = rules.reduce((list, [type, rule]) => {
    const before = findCondition(list, type)
    const report = rule({ config, result, now, ...(before && { before }) })
    return report ? setCondition(list, { type, ...report, ...observed(generation) }, now) : list
  }, conditionsOf(config))
  const known = isOfThisSpec(config) || isOnRecord(config) ? config.status : undefined
  const server = result.server ?? known?.server
  const tls = tlsOf(result, known?.tls)
  const answeredCheck = result.answers ?? config.status?.answeredCheck
  return {
    ...observed(generation),
    conditions,
    ...(server !== undefined && { server }),
    ...(tls && { tls }),
    ...(answeredCheck !== undefined && { answeredCheck }),
  }
}

export const conditionsOf = ({ status }: Pick<ClusterConfig, 'status'>): Condition[] =>
  (status?.conditions ?? []) as Condition[]

/** Whether the status speaks of the spec as it is now. */
export const isOfThisSpec = ({ metadata, status }: Stored<ClusterConfig>): boolean =>
  status?.observedGeneration === metadata.generation

/** A CA that was trusted on first use stays on record as long as the address is the same, whatever else changes. */
function isOnRecord({ spec, status }: Stored<ClusterConfig>): boolean {
  const { server } = spec.oidcAuth ?? spec.oidcFromIdentityProvider ?? {}
  return status?.tls?.source === 'FirstUse' && status.server === server
}

const observed = (generation: number | undefined) =>
  generation === undefined ? {} : { observedGeneration: generation }
