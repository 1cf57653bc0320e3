import type { Condition } from '../core/conditions.ts'
import { events } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { ClusterConfigOverview } from '../reach/overview/cluster-config-overview.ts'
import { clusterConfigOverview, conditionsOf } from '../reach/overview/cluster-config-overview.ts'
import { findClusterConfig } from '../reach/overview/read-cluster-configs.ts'
import type { Happening } from './description.ts'
import { ago, conditionSection, eventSection, factLines, happeningsIn, ifAllowed } from './description.ts'
import type { CommandDeps } from './open-hub.ts'

export interface ClusterConfigDescription {
  readonly overview: ClusterConfigOverview
  readonly conditions: readonly Condition[]
  readonly events: readonly Happening[]
}

/** What the hub knows of a way into a cluster, as data and as text. */
export async function describeClusterConfig(
  name: string,
  kube: Kube,
  { clock, signal }: Pick<CommandDeps, 'clock' | 'signal'>,
): Promise<{ data: ClusterConfigDescription; text: string }> {
  const config = await findClusterConfig(kube, name, { signal })
  const fieldSelector = `involvedObject.kind=ClusterConfig,involvedObject.name=${name}`
  const happened = await ifAllowed(kube.of(events, config.metadata.namespace).list({ signal, fieldSelector }))
  const data: ClusterConfigDescription = {
    overview: clusterConfigOverview(config),
    conditions: conditionsOf(config),
    events: happeningsIn(happened?.items),
  }
  return { data, text: asText(data, clock.now()) }
}

function asText({ overview, conditions, events: happened }: ClusterConfigDescription, now: Date): string {
  const facts = factLines([
    ['Name', overview.name],
    ['Namespace', overview.namespace],
    ['Ready', overview.reason ? `${overview.ready} (${overview.reason})` : overview.ready],
    ['Permissions', overview.permissions],
    ['Auth', overview.auth],
    ['Server', overview.server],
    ['Issuer', overview.issuer ?? overview.identityProvider],
    ['Trust', overview.trust],
    ['Fingerprint', overview.fingerprint],
    ['Offered', overview.offeredFingerprint],
    ['Warnings', overview.warnings.join(', ')],
    ['Secrets', overview.secrets.join(', ')],
    ['Made by', overview.madeBy],
    ['Created', ago(overview.createdAt, now)],
  ])
  return [facts, conditionSection(conditions, now), eventSection(happened, now), advice(overview)].join('')
}

function advice({ name, ready, permissions, offeredFingerprint }: ClusterConfigOverview): string {
  if (offeredFingerprint !== undefined)
    return `\nIf the new CA is right: lanyard reach trust ${name} --fingerprint ${offeredFingerprint}\n`
  if (ready !== 'True') return `\nOnce it is put right: lanyard reach check ${name}\n`
  return permissions === 'False' ? `\nWhat the hub lacks there: lanyard reach rbac ${name}\n` : ''
}
