import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import { issuerOf } from '../admission/check-provider.ts'
import type { ReachHubDeps } from '../hub/deps.ts'
import { untilTurnMs } from '../hub/next-look.ts'
import type { Discover } from './discover.ts'
import { freshDiscovery } from './discover.ts'
import { answers, findingBefore, findingOf } from './ready.ts'
import { report } from './report.ts'

export type IdentityProviderDeps = Pick<
  ReachHubDeps,
  'kube' | 'view' | 'clock' | 'random' | 'log' | 'metrics' | 'events' | 'settings' | 'egress'
>

/** Says of each IdentityProvider whether it can be used: when it changes, and every now and then. */
export function identityProviderController(
  deps: IdentityProviderDeps,
  discover: Discover = freshDiscovery(deps),
): Controller {
  const { providers } = deps.view
  return controller(
    'identity-provider',
    async (key, { signal }) => {
      const provider = providers.get(key)
      if (!provider || provider.metadata.deletionTimestamp) return done
      const known = findingBefore(provider, providers.list())
      if (known) {
        await report(deps, provider, known, signal)
        return done
      }
      const { authority = '', certificateAuthority } = provider.spec?.oidc ?? {}
      try {
        await discover(authority, certificateAuthority || undefined, signal)
      } catch (error) {
        const finding = findingOf(error)
        if (finding) await report(deps, provider, finding, signal)
        // Thrown on, so that it is asked again soon, and less and less often.
        throw error
      }
      await report(deps, provider, answers(authority), signal)
      return requeueAfter(untilTurnMs(key, deps.settings().checkIntervalMs, deps.clock.now()))
    },
    {
      ...deps,
      backoff: retrying(deps),
      watches: [
        // With those of the same issuer: one that comes makes them unusable, and one that goes sets them free.
        watching(
          providers,
          (changed) => [
            keyOf(changed),
            ...providers
              .list()
              .filter((other) => issuerOf(other) === issuerOf(changed))
              .map(keyOf),
          ],
          { when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp]) },
        ),
      ],
    },
  )
}

const retrying = ({ settings }: IdentityProviderDeps) => {
  const { first, most } = settings().retryMs
  return { baseMs: first, maxMs: most }
}
