import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { setCondition } from '../../core/conditions.ts'
import { isFailure } from '../../core/failure.ts'
import { spokeReasons } from '../../fleet/spoke/index.ts'
import { spokeConditions } from '../../fleet/spoke/names.ts'
import { KubeFailure } from '../../kube/failures.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Status } from './status-of.ts'
import { conditionsOf, isOfThisSpec } from './status-of.ts'

/**
 * The status where no look came to an end, for a reason that says nothing of the cluster. What is known of this very spec
 * stays; where nothing is, people are told that, and why, in place of nothing at all.
 */
export function unknownStatus(config: Stored<ClusterConfig>, error: unknown, now: Date): Status {
  const { status = {}, metadata } = config
  if (isOfThisSpec(config)) return status
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }
  const report = {
    type: spokeConditions.ready,
    status: 'Unknown' as const,
    reason: spokeReasons.ValidationFailed,
    message: `the hub could not find out and tries again: ${toldOf(error)}`,
  }
  return { ...status, ...observed, conditions: setCondition(conditionsOf(config), { ...report, ...observed }, now) }
}

/** The words of a defect may hold anything. */
const toldOf = (error: unknown): string =>
  isFailure(error) || error instanceof KubeFailure ? error.message : 'a defect, see the log of the hub'
