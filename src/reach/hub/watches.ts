import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Spokes, SpokeView } from '../../fleet/spoke/index.ts'
import { concerns } from '../../fleet/spoke/index.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { changesOf, watching } from '../../kube/watching.ts'

/** Everything that the way into a cluster depends on, by the ClusterConfigs it concerns. */
export const watchesOf = ({ configs, secretChanges, secrets, providers }: SpokeView): Watching[] => {
  const usersOf = (provider: string): Key[] => configs.byIndex('provider', provider).map(keyOf)
  return [
    // All of one name: a second one takes the way in from the first, and gives it back when it goes.
    watching(configs, (config) => [keyOf(config), ...configs.byIndex('name', config.metadata.name).map(keyOf)], {
      when: changesOf(whatMatters),
    }),
    {
      synced: secrets.synced,
      subscribe: (enqueue) =>
        secretChanges.on((secret, _, changed) => {
          const users = configs.byIndex('secret', secret).filter((config) => concerns(config, secret, changed))
          const byProvider = providers.byIndex('secret', secret).flatMap(({ metadata }) => usersOf(metadata.name))
          for (const key of new Set([...users.map(keyOf), ...byProvider])) enqueue(key)
        }),
    },
    watching(providers, ({ metadata }) => usersOf(metadata.name), {
      when: changesOf(({ metadata }) => metadata.generation),
    }),
  ]
}

/** Clusters that begin to answer 429, whoever asked them: those of which `isTold` does not hold. */
export const throttling = (
  { configs }: Pick<SpokeView, 'configs'>,
  spokes: Spokes,
  isTold: (config: Stored<ClusterConfig>) => boolean,
): Watching => ({
  synced: configs.synced,
  subscribe: (enqueue) =>
    spokes.onThrottled?.((cluster) => {
      for (const config of configs.byIndex('name', cluster)) if (!isTold(config)) enqueue(keyOf(config))
    }) ?? { [Symbol.dispose]: () => {} },
})

/** Not the status: it is written by whoever is told of this. */
const whatMatters = ({ metadata }: Stored<ClusterConfig>) => [
  metadata.generation,
  metadata.deletionTimestamp,
  metadata.annotations?.[spokeAnnotations.trustedFingerprint],
  metadata.annotations?.[spokeAnnotations.checkRequestedAt],
]
