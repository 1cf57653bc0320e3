import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Reason } from '../../../core/reason.ts'
import type { EventRecorder } from '../../../kube/events.ts'
import type { Stored } from '../../../kube/objects.ts'
import { reasons } from '../../reasons.ts'
import type { HubDriver } from '../driver.ts'
import type { ArnMatcher } from './arn-patterns.ts'
import { claimOf } from './hub-annotations.ts'
import { grantByHand, grantOrByHand } from './hub-by-hand.ts'
import { dueTo } from './hub-due.ts'
import { awsGate } from './hub-gate.ts'
import type { AwsGrantDeps } from './hub-grant.ts'
import { awsGrant } from './hub-grant.ts'
import { recordOn } from './hub-record.ts'
import type { UpkeepDeps } from './hub-upkeep.ts'
import { upkeepController } from './hub-upkeep.ts'

export interface AwsHubDeps extends Omit<AwsGrantDeps, 'tell'> {
  clusters: UpkeepDeps['clusters']
  log: Log
  events: EventRecorder
  metrics?: Metrics
  /** Of the ARNs whose clusters the hub accepts by itself. Default: of none. */
  autoApprovedArns?: ArnMatcher
  /**
   * Whether the hub makes and removes roles itself. If not, or while it has no AWS credentials, it counts those as made
   * that `lanyard accept` has put on record. Default true.
   */
  creates?: boolean
}

/** Joins by IAM roles: for clusters on EKS, which say so by an annotation, on a hub on EKS. */
export function awsHubDriver(deps: AwsHubDeps): HubDriver {
  const { hub, clock, log, events, autoApprovedArns, creates = true } = deps
  const telling = (reason: Reason) => (cluster: Stored<ManagedCluster>, failure: Failure) =>
    events.record(ManagedCluster.resource, cluster, { type: 'Warning', reason, message: failure.message })
  const tellLeft = telling(reasons.AwsRoleLeft)
  const tell: AwsGrantDeps['tell'] = (cluster, failure) => {
    log.warn({ cluster: cluster.metadata.name, err: failure }, 'AWS role left alone')
    tellLeft(cluster, failure)
  }
  const grant = creates ? grantOrByHand(awsGrant({ ...deps, tell, gate: awsGate(deps) }), hub, clock) : grantByHand(hub)
  return {
    name: 'awsirsa',
    grant,
    accepts: autoApprovedArns !== undefined,
    mayAutoAccept({ metadata }) {
      const claim = claimOf(metadata.annotations, hub)
      const isApproved = claim.claim === 'aws' && autoApprovedArns?.test(claim.managed.arn)
      return isApproved ? 'its ARN matches a pattern of the hub' : undefined
    },
    isToHave(cluster, earlier) {
      const due = dueTo(cluster, hub)
      return due.due === 'role' && due.role === recordOn(earlier)?.role
    },
    // Anybody may write an ARN. Who has no access to the role gains nothing by it, unless with an old certificate.
    acceptsNewNamesOnly: true,
    run: upkeepController({ ...deps, tell: telling(reasons.AwsAccessNotKept) }, grant).run,
  }
}
