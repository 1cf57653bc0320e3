import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { HubDriver } from '../driver.ts'
import { arnMatcher } from './arn-patterns.ts'
import { failures } from './failures.ts'
import { claimOf } from './hub-annotations.ts'
import type { AwsGrantDeps } from './hub-grant.ts'
import { awsGrant } from './hub-grant.ts'
import type { UpkeepDeps } from './hub-upkeep.ts'
import { upkeepController } from './hub-upkeep.ts'

export interface AwsHubDeps extends AwsGrantDeps {
  clusters: UpkeepDeps['clusters']
  log: Log
  metrics?: Metrics
  /** Regular expressions; a cluster whose ARN matches one from end to end is accepted by the hub itself. */
  autoApprovedArnPatterns: readonly string[]
}

/** Joins by IAM roles: for clusters on EKS, which say so by an annotation, on a hub on EKS. */
export function awsHubDriver(deps: AwsHubDeps): HubDriver {
  const matcher = arnMatcher(deps.autoApprovedArnPatterns)
  if ('wrong' in matcher) throw failures.AWS_PATTERN_INVALID({ detail: matcher.wrong })
  const grant = awsGrant(deps)
  return {
    name: 'awsirsa',
    grant,
    mayAutoAccept({ metadata }) {
      const claim = claimOf(metadata.annotations, deps.hub)
      return claim.claim === 'none' || (claim.claim === 'aws' && matcher.test(claim.managed.arn))
    },
    run: upkeepController(deps, grant).run,
  }
}
