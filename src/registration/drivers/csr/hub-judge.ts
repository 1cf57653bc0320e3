import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isTrue } from '../../../core/conditions.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { annotations, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { graceMs, leaseDurationMs } from '../../hub/heartbeats.ts'
import { recordedOn } from './hub-record.ts'
import type { SeenRequest } from './hub-requests.ts'
import type { Incumbent, Pulse } from './hub-second-agent.ts'
import { standingOf } from './hub-second-agent.ts'

/** An open request that its agent did not make by its own identity, and how it stands beside the agent that joined. */
export interface Judged {
  request: SeenRequest
  standing: 'free' | 'waits' | 'second'
  /** When to judge again. */
  until?: Date
  incumbent: Incumbent | undefined
}

export function judge(
  cluster: Stored<ManagedCluster>,
  all: readonly SeenRequest[],
  bootstraps: readonly SeenRequest[],
  { view, clock, settings }: Pick<HubDeps, 'view' | 'clock' | 'settings'>,
): Judged[] {
  const { name } = cluster.metadata
  const incumbent = incumbentOf(cluster, all)
  const pulse: Pulse = {
    receivedAt: view.heartbeats.receivedAt(name),
    renewedAt: view.heartbeats.renewedAt(name),
    leaseDurationMs: leaseDurationMs(cluster),
    graceMs: graceMs(cluster, settings),
  }
  const invited = cluster.metadata.annotations?.[annotations.replaceAgent]
  return bootstraps.map((request) => {
    if (request.agent === invited) return { request, standing: 'free', incumbent }
    const { standing, ...rest } = standingOf(request, incumbent, pulse, clock.now())
    const until = 'until' in rest ? rest.until : undefined
    return { request, standing, incumbent, ...(until && { until }) }
  })
}

/** An approved request counts before its certificate is on record: it is on the way. */
export function incumbentOf(cluster: ManagedCluster, requests: readonly SeenRequest[]): Incumbent | undefined {
  const { agent, issuedAt, expiresAt } = recordedOn(cluster)
  const startOf = ({ csr, issued }: SeenRequest) => issued?.issuedAt ?? new Date(csr.metadata.creationTimestamp ?? 0)
  const onTheWay = requests.findLast(
    (request) => decisionOn(request.csr) === 'approved' && !(issuedAt && startOf(request) <= issuedAt),
  )
  if (onTheWay) return { agent: onTheWay.agent, certificateExpiresAt: onTheWay.issued?.expiresAt }
  if (agent !== undefined) return { agent, certificateExpiresAt: expiresAt }
  const isJoined = isTrue(cluster.status?.conditions, conditions.joined)
  return isJoined ? { agent: undefined, certificateExpiresAt: undefined } : undefined
}
