import type { Secret as KubeSecret } from 'kubernetes-types/core/v1.d.ts'
import { done } from '../../core/outcome.ts'
import type { SpokeView } from '../../fleet/spoke/index.ts'
import type { Controller, ControllerOptions } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { Informer } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { watching } from '../../kube/watching.ts'
import { boundTo, recordOf, tokenSecretName } from './record.ts'

export interface BindingDeps extends Pick<ControllerOptions, 'clock' | 'random' | 'log'> {
  kube: Kube
  namespace: string
  spokeView: { readonly configs: Pick<SpokeView['configs'], 'byIndex' | 'on' | 'synced'> }
}

/**
 * Tokens that were made before there was a ClusterConfig are for the first one that appears, and written down as that:
 * one that takes its name later gets none of them. Every replica does this; the version of the Secret lets one of them.
 */
export function tokenBinding(
  watched: Pick<Informer<KubeSecret>, 'get' | 'on' | 'synced'>,
  deps: BindingDeps,
): Controller {
  const { kube, namespace, spokeView } = deps
  return controller(
    'webhook-token-binding',
    async (key, { signal }) => {
      const secret = watched.get(key)
      const record = secret && recordOf(secret)
      if (!record || record.uid !== undefined) return done
      const [config, ...others] = spokeView.configs.byIndex('name', record.cluster)
      if (!config || others.length > 0) return done
      const { name, uid, resourceVersion } = secret.metadata
      const body = { metadata: { uid, resourceVersion }, ...boundTo(config.metadata.uid) }
      try {
        await kube.of(secrets, namespace).patch(name, { type: 'merge', body }, { signal })
      } catch (error) {
        // Whoever wrote in between is followed by another look.
        if (!isConflict(error) && !isAbsent(error)) throw error
      }
      return done
    },
    {
      ...deps,
      watches: [
        watching(watched),
        watching(spokeView.configs, ({ metadata }) => `${namespace}/${tokenSecretName(metadata.name)}`, {
          when: ({ type }) => type !== 'updated',
        }),
      ],
    },
  )
}
