import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import type { Condition } from '../core/conditions.ts'
import { labels, leaseName } from '../fleet/names.ts'
import { certificateSigningRequests, events, leases } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { failures } from '../registration/operations/failures.ts'
import type { ClusterOverview } from '../registration/overview/cluster-overview.ts'
import { clusterOverview } from '../registration/overview/cluster-overview.ts'
import type { Happening } from './description.ts'
import {
  ago,
  conditionSection,
  eventSection,
  factLines,
  happeningsIn,
  ifAllowed,
  left,
  section,
} from './description.ts'
import { knownSets, setsOf } from './get-clusters.ts'
import type { CommandDeps } from './open-hub.ts'

export interface ClusterDescription {
  readonly overview: ClusterOverview
  readonly conditions: readonly Condition[]
  readonly taints: readonly { key: string; value?: string; effect: string }[]
  readonly claims: readonly { name?: string; value?: string }[]
  readonly events: readonly Happening[]
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
    events: happeningsIn(happened?.items),
  }
  return { data, text: asText(data, clock.now()) }
}

const certificateOf = ({ driver, certificateExpiresAt: expires }: ClusterOverview, now: Date): string | undefined =>
  driver === 'awsirsa'
    ? 'none: it shows tokens of its AWS role, each good for 15 minutes'
    : expires && `until ${expires.toISOString()} (${left(expires, now)})`

function asText({ overview, conditions, taints, claims, events: happened }: ClusterDescription, now: Date): string {
  const facts = factLines([
    ['Name', overview.name],
    ['Stage', overview.stage],
    ['Accepted', overview.isAccepted ? 'yes' : 'no'],
    ['Joined', overview.isJoined ? 'yes' : 'no'],
    ['Available', overview.available],
    ['Driver', overview.driver],
    ['EKS cluster', overview.managedClusterArn],
    ['Agent', overview.agent],
    ['Certificate', certificateOf(overview, now)],
    ['Heard', ago(overview.heardAt, now)],
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
    ['Created', ago(overview.createdAt, now)],
  ])
  return [
    facts,
    section('Claims', claims, [
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'VALUE', cell: ({ value }) => value },
    ]),
    conditionSection(conditions, now),
    eventSection(happened, now),
    overview.stage === 'joined' && overview.available === 'True'
      ? ''
      : `\nWhat is wrong and what to do: lanyard doctor ${overview.name}\n`,
  ].join('')
}
