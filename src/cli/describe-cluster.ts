import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import type { Condition } from '../core/conditions.ts'
import { labels, leaseName } from '../fleet/names.ts'
import { isForbidden } from '../kube/failures.ts'
import { certificateSigningRequests, events, leases } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { Stored } from '../kube/objects.ts'
import { failures } from '../registration/operations/failures.ts'
import type { ClusterOverview } from '../registration/overview/cluster-overview.ts'
import { clusterOverview } from '../registration/overview/cluster-overview.ts'
import { knownSets, setsOf } from './get-clusters.ts'
import type { CommandDeps } from './open-hub.ts'
import { printable } from './printable.ts'
import { formatSpan, formatTable } from './table.ts'

export interface ClusterDescription {
  readonly overview: ClusterOverview
  readonly conditions: readonly Condition[]
  readonly taints: readonly { key: string; value?: string; effect: string }[]
  readonly claims: readonly { name?: string; value?: string }[]
  readonly events: readonly { reason: string; type: string; message: string; count: number; at: Date }[]
}

/** What the hub knows of one cluster, as data and as text. */
export async function describeCluster(
  name: string,
  kube: Kube,
  { clock, signal }: Pick<CommandDeps, 'clock' | 'signal'>,
): Promise<{ data: ClusterDescription; text: string }> {
  const cluster = await kube.of(ManagedCluster.resource).find(name, { signal })
  if (!cluster) throw failures.CLUSTER_UNKNOWN({ cluster: name })
  const labelSelector = `${labels.clusterName}=${name},!${labels.addonName}`
  const fieldSelector = `involvedObject.kind=ManagedCluster,involvedObject.name=${name}`
  const [lease, csrs, happened, sets] = await Promise.all([
    ifAllowed(kube.of(leases, name).find(leaseName, { signal })),
    ifAllowed(kube.of(certificateSigningRequests).list({ signal, labelSelector })),
    ifAllowed(kube.of(events).list({ signal, fieldSelector })),
    knownSets(kube, signal),
  ])
  const data: ClusterDescription = {
    overview: clusterOverview(cluster, {
      lease,
      csrs: csrs?.items ?? [],
      ...(sets && { sets: setsOf(cluster, sets) }),
    }),
    conditions: cluster.status?.conditions ?? [],
    taints: (cluster.spec?.taints ?? []).map(({ key, value, effect }) => ({ key, effect, ...(value && { value }) })),
    claims: cluster.status?.clusterClaims ?? [],
    events: (happened?.items ?? []).map(asHappening).toSorted((a, b) => a.at.getTime() - b.at.getTime()),
  }
  return { data, text: asText(data, clock.now()) }
}

async function ifAllowed<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

const asHappening = (event: Stored<Event>) => ({
  reason: event.reason ?? '',
  type: event.type ?? 'Normal',
  message: event.message ?? '',
  count: event.count ?? 1,
  at: new Date(String(event.lastTimestamp ?? event.metadata.creationTimestamp)),
})

function asText({ overview, conditions, taints, claims, events: happened }: ClusterDescription, now: Date): string {
  const ago = (at: Date | undefined) => at && `${formatSpan(now.getTime() - at.getTime())} ago`
  const left = (at: Date) => (at <= now ? 'expired' : `${formatSpan(at.getTime() - now.getTime())} left`)
  const { certificateExpiresAt: expires } = overview
  const facts: [what: string, is: string | undefined][] = [
    ['Name', overview.name],
    ['Stage', overview.stage],
    ['Accepted', overview.isAccepted ? 'yes' : 'no'],
    ['Joined', overview.isJoined ? 'yes' : 'no'],
    ['Available', overview.available],
    ['Agent', overview.agent],
    ['Certificate', expires && `until ${expires.toISOString()} (${left(expires)})`],
    ['Heard', ago(overview.heardAt)],
    ['Requests', overview.pendingRequests.join(', ')],
    ['Sets', overview.sets.join(', ')],
    ['Kubernetes', overview.kubernetes],
    [
      'Capacity',
      Object.entries(overview.capacity)
        .map(([what, much]) => `${what} ${much}`)
        .join(', '),
    ],
    ['Addresses', overview.urls.join(', ')],
    ['Taints', taints.map(({ key, effect }) => `${key}:${effect}`).join(', ')],
    ['Created', ago(overview.createdAt)],
  ]
  const width = Math.max(...facts.map(([what]) => what.length)) + 2
  const lines = facts.map(([what, is]) => `${`${what}:`.padEnd(width)} ${printable(is || '-')}\n`).join('')
  return [
    lines,
    section('Claims', claims, [
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'VALUE', cell: ({ value }) => value },
    ]),
    section('Conditions', conditions, [
      { heading: 'TYPE', cell: ({ type }) => type },
      { heading: 'STATUS', cell: ({ status }) => status },
      { heading: 'REASON', cell: ({ reason }) => reason },
      { heading: 'SINCE', cell: ({ lastTransitionTime }) => ago(new Date(lastTransitionTime)) },
      { heading: 'MESSAGE', cell: ({ message }) => message },
    ]),
    section('Events', happened, [
      { heading: 'LAST', cell: ({ at }) => ago(at) },
      { heading: 'TYPE', cell: ({ type }) => type },
      { heading: 'REASON', cell: ({ reason }) => reason },
      { heading: 'COUNT', cell: ({ count }) => String(count) },
      { heading: 'MESSAGE', cell: ({ message }) => message },
    ]),
    overview.stage === 'joined' && overview.available === 'True'
      ? ''
      : `\nWhat is wrong and what to do: lanyard doctor ${overview.name}\n`,
  ].join('')
}

const section = <Row>(
  heading: string,
  rows: readonly Row[],
  columns: Parameters<typeof formatTable<Row>>[0],
): string => (rows.length === 0 ? '' : `\n${heading}:\n${formatTable(columns, rows).replace(/^(?=.)/gm, '  ')}`)
