/** What people ask the hub: to request, approve and end sessions, to look, and to understand. */
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { RestApi } from '../../fleet/rest.ts'
import { actionRoutes } from './action-routes.ts'
import { configRoutes } from './config-routes.ts'
import type { PeopleDeps } from './deps.ts'
import { escalationRoutes } from './escalation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { explainRoutes } from './explain-routes.ts'
import { problemOf, problemStyle } from './problems.ts'
import * as schemas from './schemas.ts'
import { sessionRoutes } from './session-routes.ts'

export { peopleAccess } from './authenticate.ts'
export type { Person } from './contract.ts'
export type { People, PeopleDeps } from './deps.ts'
export { personOf } from './person.ts'

/** Nothing of it runs by itself: streams follow the view of sessions. */
export function accessApi(deps: PeopleDeps): { readonly api: RestApi; readonly run: Run } {
  const limits = () => deps.settings().limits
  const perMinute = (most: number) => ({ perMinute: most, burst: most })
  return {
    api: {
      title: 'Lanyard access',
      version: 'v1alpha1',
      description: [
        'People ask for the rights of a group in a cluster, for a while and for a reason; other people approve. Whatever happens to a session is on record.',
        'Problems are `application/problem+json` (RFC 9457). Programs look at `code`, and at `reason` for what exactly; `detail` says what to do. `Retry-After` says when to try again.',
      ].join('\n\n'),
      routes: [
        ...sessionRoutes(deps),
        ...actionRoutes(deps),
        ...eventRoutes(deps),
        ...escalationRoutes(deps),
        ...explainRoutes(deps),
      ],
      raw: configRoutes(deps),
      problemOf,
      problemStyle,
      rates: { every: limits, named: { requests: () => perMinute(limits().requestsPerMinute) } },
      schemas: { Session: schemas.session, Escalation: schemas.escalation },
    },
    run: aborted,
  }
}
