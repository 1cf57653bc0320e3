import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { after } from '../../../core/clock.ts'
import { isTrue } from '../../../core/conditions.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { contested, isRival } from '../../../fleet/csr/superseded.ts'
import { annotations, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { graceMs, leaseDurationMs } from '../../hub/heartbeats.ts'
import { recordedOn } from './hub-record.ts'
import type { SeenRequest } from './hub-requests.ts'
import type { Incumbent, Pulse, Standing } from './hub-second-agent.ts'
import { silentLeaseDurations, standingOf } from './hub-second-agent.ts'

/** An open request, and how it stands beside the agent that joined. */
export interface Judged {
  request: SeenRequest
  standing: 'free' | 'waits' | 'second'
  /** When to judge again. */
  until?: Date
  incumbent: Incumbent | undefined
  /** Open requests in the name of the same agent, with other keys. */
  rivals?: readonly SeenRequest[]
}

/** Judges requests that their agents did not make by their own identity. */
export function judge(
  cluster: Stored<ManagedCluster>,
  all: readonly SeenRequest[],
  bootstraps: readonly SeenRequest[],
  { view, clock, settings, contact }: Pick<HubDeps, 'view' | 'clock' | 'settings' | 'contact'>,
  openUntil: (user: string) => Date | undefined = () => undefined,
): Judged[] {
  const { name } = cluster.metadata
  const incumbent = incumbentOf(cluster, all)
  const pulse: Pulse = {
    receivedAt: heardAt(view.heartbeats.receivedAt(name), contact?.since()),
    renewedAt: view.heartbeats.renewedAt(name),
    leaseDurationMs: leaseDurationMs(cluster),
    graceMs: graceMs(cluster, settings),
  }
  const invited = cluster.metadata.annotations?.[annotations.replaceAgent]
  const disputed = Map.groupBy(contested(all), ({ user }) => user)
  return bootstraps.map((request) => {
    const rivals = (disputed.get(request.user) ?? []).filter((other) => isRival(request, other))
    const judged = { request, incumbent, ...(rivals.length > 0 && { rivals }) }
    const now = clock.now()
    const { standing, ...rest }: Standing =
      request.agent === invited ? { standing: 'free' } : standingOf(request, incumbent, pulse, now)
    if (standing !== 'free') return { ...judged, standing, ...('until' in rest && rest.until && { until: rest.until }) }
    const until = disputedUntil(request, rivals, pulse, openUntil(request.user))
    return until && now < until ? { ...judged, standing: 'waits', until } : { ...judged, standing }
  })
}

/** Nobody can tell which of them is the agent; who has gone by then is not. */
function disputedUntil(
  { seenAt }: SeenRequest,
  rivals: readonly SeenRequest[],
  pulse: Pulse,
  openUntil: Date | undefined,
): Date | undefined {
  if (rivals.length === 0) return openUntil
  const newest = Math.max(...[seenAt, ...rivals.map((rival) => rival.seenAt)].map((date) => date.getTime()))
  const settledAt = after(new Date(newest), silentLeaseDurations * pulse.leaseDurationMs)
  return openUntil && openUntil > settledAt ? openUntil : settledAt
}

/** What a hub without its API server did not hear, nobody failed to say. */
const heardAt = (receivedAt: Date | undefined, inContactSince: Date | undefined): Date | undefined =>
  receivedAt && inContactSince && inContactSince > receivedAt ? inContactSince : receivedAt

/**
 * An agent's request for its own next certificate, where the place is another's by now: who was replaced is out, and so
 * is whoever has its key. Undefined where nothing is in its way.
 */
export function judgeRenewal(
  cluster: Stored<ManagedCluster>,
  all: readonly SeenRequest[],
  request: SeenRequest,
): Judged | undefined {
  const invited = cluster.metadata.annotations?.[annotations.replaceAgent]
  if (request.agent === invited) return undefined
  const successor = all.find(({ csr, agent }) => agent === invited && decisionOn(csr) === 'approved')
  const incumbent = successor
    ? { agent: successor.agent, certificateExpiresAt: successor.issued?.expiresAt }
    : incumbentOf(cluster, all)
  if (incumbent?.agent === undefined || incumbent.agent === request.agent) return undefined
  return { request, standing: 'second', incumbent }
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
