import type { Run } from '../../../core/lifecycle.ts'
import { labels } from '../../../fleet/names.ts'
import { informer } from '../../../kube/informer.ts'
import type { Resource } from '../../../kube/objects.ts'
import type { MemberDeps } from '../deps.ts'
import type { Claims, StatedFact } from './claims.ts'
import { aboutMissingClaims, mirroredClaims, onlyFact } from './claims.ts'
import { optionalKind } from './optional-kind.ts'

export interface ClaimsView {
  readonly runs: readonly Run[]
  synced(signal: AbortSignal): Promise<void>
  /** Undefined until all are known, and where neither kind is to be copied. */
  readonly current: Claims | undefined
  /** What people are told of those that the hub does not show. */
  readonly missing: string | undefined
}

/** How often a kind that the managed cluster does not serve is asked for again. */
const kindAgainMs = 60_000

/** The claims and properties of the managed cluster, without those that are to stay there. */
export function claimsOf(
  { spoke, settings, ...deps }: Pick<MemberDeps, 'spoke' | 'clock' | 'random' | 'log' | 'settings'>,
  kinds: { claims?: Resource<StatedFact>; properties?: Resource<StatedFact> },
  onChange: () => void,
): ClaimsView {
  const view = (kind: Resource<StatedFact> | undefined) =>
    kind &&
    informer(optionalKind(spoke.of(kind), { clock: deps.clock, againMs: kindAgainMs }), {
      ...deps,
      labelSelector: `!${labels.spokeOnly}`,
      transform: onlyFact,
    })
  const claims = view(kinds.claims)
  const properties = view(kinds.properties)
  const views = [claims, properties].filter((each) => each !== undefined)
  for (const each of views) each.on(onChange)
  const current = (): Claims | undefined =>
    views.length > 0 && views.every(({ isSynced }) => isSynced)
      ? mirroredClaims(claims?.list() ?? [], properties?.list() ?? [], settings)
      : undefined
  return {
    runs: views.map(({ run }) => run),
    synced: async (signal) => void (await Promise.all(views.map(({ synced }) => synced(signal)))),
    get current() {
      return current()
    },
    get missing() {
      const found = current()
      return found && aboutMissingClaims(found, settings.maxCustomClusterClaims)
    },
  }
}
