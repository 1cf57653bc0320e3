import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { keyOf } from '../../kube/objects.ts'
import { sessionLabels } from '../names.ts'
import type { RequestFacts, Session, Wish } from '../sessions/index.ts'
import { labelValue, mayBeFor } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'

/**
 * All that a request is decided on. Sessions are asked for from the server, so that what was made a moment ago, here or
 * by another replica, counts for limits; what people made by hand, without labels, as far as it is known here.
 */
export async function requestFacts(
  wish: Wish,
  person: Person,
  { kube, view, spokeView }: PeopleDeps,
  signal: AbortSignal,
): Promise<RequestFacts> {
  const labelled = async (label: string, values: readonly string[]): Promise<readonly Session[]> => {
    if (values.length === 0) return []
    const labelSelector = `${label} in (${[...new Set(values)].join(',')})`
    return (await kube.of(BreakglassSession.resource).list({ labelSelector, signal })).items
  }
  const escalations = view.escalations.list()
  const names = [person.email, person.username, person.subject].filter((name) => name !== undefined)
  const isLimited = escalations.some(
    ({ spec }) =>
      spec.escalatedGroup === wish.group && spec.sessionLimitsOverride?.maxActiveSessionsTotal !== undefined,
  )
  const [own, ofGroup] = await Promise.all([
    labelled(sessionLabels.user, names.map(labelValue)),
    labelled(sessionLabels.group, isLimited ? [labelValue(wish.group)] : []),
  ])
  const known = view.sessions.list()
  return {
    person,
    clusters: spokeView.configs.byIndex('name', wish.cluster),
    escalations,
    provider: spokeView.providers.get(person.identityProvider),
    sessions: merged(own, known).filter((session) => mayBeFor(session, person)),
    under: (uid) =>
      merged(
        ofGroup.filter(({ metadata }) =>
          metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid),
        ),
        view.sessions.byIndex('escalation', uid),
      ),
  }
}

/** The same facts with what the view may not have got yet. */
export async function withLiveObjects(
  facts: RequestFacts,
  { cluster }: Wish,
  { kube }: Pick<PeopleDeps, 'kube'>,
  signal: AbortSignal,
): Promise<RequestFacts> {
  const [escalations, clusters] = await Promise.all([
    kube.of(BreakglassEscalation.resource).list({ signal }),
    kube.of(ClusterConfig.resource).list({ signal }),
  ])
  const named = clusters.items.filter(({ metadata }) => metadata.name === cluster)
  return { ...facts, escalations: escalations.items, clusters: named }
}

/** What the server said outranks what is known here. */
function merged(live: readonly Session[], known: readonly Session[]): Session[] {
  const keys = new Set(live.map(keyOf))
  return [...live, ...known.filter((session) => !keys.has(keyOf(session)))]
}
