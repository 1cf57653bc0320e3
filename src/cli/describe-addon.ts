import { failures } from '../addons/operations/failures.ts'
import type { AddonOverview } from '../addons/overview/addon-overview.ts'
import { addonOverview, conditionsOf } from '../addons/overview/addon-overview.ts'
import { requestsOf } from '../addons/overview/read-addons.ts'
import { addonCauses } from '../addons/overview/troubles.ts'
import { ManagedClusterAddOn } from '../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../core/conditions.ts'
import { events } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
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
import type { CommandDeps } from './open-hub.ts'
import { printable } from './printable.ts'

export interface AddonDescription {
  readonly overview: AddonOverview
  readonly conditions: readonly Condition[]
  readonly events: readonly Happening[]
}

/** What the hub knows of an add-on on a cluster, as data and as text. @param name `CLUSTER/ADDON` */
export async function describeAddon(
  name: string,
  kube: Kube,
  { clock, signal }: Pick<CommandDeps, 'clock' | 'signal'>,
): Promise<{ data: AddonDescription; text: string }> {
  const [cluster, addon, ...rest] = name.split('/')
  if (!cluster || !addon || rest.length > 0) throw failures.ADDON_NAME_INCOMPLETE({ name: JSON.stringify(name) })
  const found = await kube.of(ManagedClusterAddOn.resource, cluster).find(addon, { signal })
  if (!found) throw failures.ADDON_UNKNOWN({ cluster, addon })
  const fieldSelector = `involvedObject.kind=ManagedClusterAddOn,involvedObject.name=${addon}`
  const [csrs, happened] = await Promise.all([
    requestsOf(kube, cluster, addon, { signal }),
    ifAllowed(kube.of(events, cluster).list({ signal, fieldSelector })),
  ])
  const now = clock.now()
  const data: AddonDescription = {
    overview: addonOverview(found, csrs, now),
    conditions: conditionsOf(found),
    events: happeningsIn(happened?.items),
  }
  return { data, text: asText(data, now) }
}

function asText({ overview, conditions, events: happened }: AddonDescription, now: Date): string {
  const { cluster, addon, credential, credentialExpiresAt: expires } = overview
  const facts = factLines([
    ['Cluster', cluster],
    ['Add-on', addon],
    ['Available', overview.available],
    ['Driver', overview.driver],
    ['Credential', expires ? `${credential}, until ${expires.toISOString()} (${left(expires, now)})` : credential],
    ['Namespace', overview.namespace],
    ['Requests', overview.pendingRequests.join(', ')],
    ['Created', ago(overview.createdAt, now)],
  ])
  return [
    facts,
    section('Credentials', overview.credentials, [
      { heading: 'TYPE', cell: ({ type }) => type },
      { heading: 'DRIVER', cell: ({ type, driver }) => (type === 'customSigner' ? 'csr' : driver) },
      { heading: 'SIGNER', cell: ({ type, signer }) => (type === 'customSigner' ? signer : undefined) },
      { heading: 'USER', cell: ({ user }) => user },
      { heading: 'GROUPS', cell: ({ groups }) => groups.join(',') },
      { heading: 'SECRET', cell: ({ secret }) => secret },
    ]),
    conditionSection(conditions, now),
    eventSection(happened, now),
    advice(overview),
  ].join('')
}

function advice({ troubles, credentials, addon, cluster }: AddonOverview): string {
  if (troubles.length > 0)
    return `\n${troubles.map(({ id, fix }) => printable(`✖ ${id}: ${addonCauses[id]}\n  do: ${fix}`)).join('\n')}\n`
  return credentials.some(({ type }) => type === 'kubeClient')
    ? `\nWhat it may do on the hub is for its author to say: lanyard addon rbac ${addon} --cluster ${cluster}\n`
    : ''
}
