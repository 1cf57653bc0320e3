import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import type { Escalation } from '../sessions/index.ts'
import { isReady, matchingEscalations, requestersProviders } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { whoCalls } from './deps.ts'
import * as examples from './examples.ts'
import * as schemas from './schemas.ts'
import { shownEscalation } from './shown.ts'

export const escalationRoutes = (deps: PeopleDeps): RestRoute[] => [
  {
    method: 'GET',
    path: '/api/breakglassEscalations',
    operationId: 'listEscalations',
    summary: 'List what may be asked for',
    description: 'By the caller. Approvers that are hidden are left out.',
    tag: 'Escalations',
    query: schemas.escalationQuery,
    answers: { 200: schemas.escalationList },
    example: { query: { cluster: 'west' }, answers: { 200: { items: [examples.escalation], total: 1 } } },
    handle: async ({ query, caller }: RestRequest<unknown, { cluster?: string; activeOnly: boolean }>) => {
      const items = usable(whoCalls(caller, deps), query.cluster, deps)
        .filter((escalation) => !query.activeOnly || isReady(escalation))
        .map(shownEscalation)
      return { status: 200, body: { items, total: items.length } }
    },
  },
]

/** What a person may ask for on a cluster, or on any that there is. By name. */
export function usable(
  { groups, identityProvider, amongProviders }: Pick<Person, 'groups' | 'identityProvider' | 'amongProviders'>,
  cluster: string | undefined,
  { view, spokeView, settings }: Pick<PeopleDeps, 'view' | 'spokeView' | 'settings'>,
): Escalation[] {
  const clusters = cluster === undefined ? spokeView.configs.list().map(({ metadata }) => metadata.name) : [cluster]
  const prefixes = amongProviders?.groupPrefixes ?? settings().oidcPrefixes
  const takes = (escalation: Escalation) => {
    const providers = requestersProviders(escalation)
    return providers.length === 0 || providers.includes(identityProvider)
  }
  return view.escalations
    .list()
    .filter((escalation) =>
      clusters.some((name) => matchingEscalations(groups, name, [escalation], prefixes).length > 0),
    )
    .filter(takes)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}
