/** The REST API of the pull secret service: `/api/hyperfleet/v1`. */
import type { RestApi } from '../../fleet/rest.ts'
import type { PullSecretApiDeps } from './deps.ts'
import { operatorRoutes } from './operator-routes.ts'
import { checkPath } from './paths.ts'
import { problemOf } from './problems.ts'
import { rotationRoutes } from './rotation-routes.ts'
import * as schemas from './schemas.ts'
import { secretRoutes } from './secret-routes.ts'

export type { PullSecretApiDeps } from './deps.ts'
export { base as apiBase } from './paths.ts'
export { accessRules, ownerRule, permissions } from './permissions.ts'

export const pullSecretApi = (deps: PullSecretApiDeps): RestApi => ({
  title: 'Lanyard pull secrets',
  version: deps.version,
  description: [
    'Mints, serves, rotates, suspends and removes the registry credentials of clusters. One document for all registries, ready for the kubelet.',
    'Problems are `application/problem+json` (RFC 9457). Programs look at `code`; `detail` says what to do; `trace_id` finds it in the log. `Retry-After` says when to try again.',
    'Lists come in pages: `page`, `size`, `order`, `search`, `fields`. To walk through a long one, follow the `Link` with `rel="next"`: each page costs the same. More than 10,000 items are not counted: `total_relation` says what `total` is.',
  ].join('\n\n'),
  routes: [...secretRoutes(deps), ...rotationRoutes(deps), ...operatorRoutes(deps)],
  problemOf,
  checkPath,
  schemas: {
    PullSecret: schemas.pullSecret,
    Credential: schemas.credential,
    Rotation: schemas.rotation,
    Suspension: schemas.suspension,
    Deletion: schemas.deletion,
    Cluster: schemas.cluster,
    Registry: schemas.registry,
    Pool: schemas.pool,
  },
})
