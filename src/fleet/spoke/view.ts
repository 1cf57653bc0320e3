import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { SecretKeyReference } from '../../apis/breakglass/common.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Key, KubeObject, Stored } from '../../kube/objects.ts'
import { pinSecret } from './names.ts'
import type { SecretChanges } from './secret-changes.ts'
import { secretChanges } from './secret-changes.ts'

/** What the hub watches to know its ways into clusters. Secrets as metadata only: what they hold is read when needed. */
export interface SpokeView {
  readonly run: Run
  readonly configs: Informer<ClusterConfig, 'name' | 'secret' | 'provider'>
  readonly providers: Informer<IdentityProvider, 'secret'>
  readonly secrets: Informer<KubeObject>
  /** For whoever wants to know what happens to a Secret: not all of it is news. */
  readonly secretChanges: SecretChanges
}

export function spokeView(kube: Kube, deps: { clock: Clock; random: Random; log: Log }): SpokeView {
  const common = (kind: string) => ({ ...deps, log: deps.log.child({ kind }) })
  const view = {
    configs: informer(kube.of(ClusterConfig.resource), {
      ...common('ClusterConfig'),
      transform: withoutManagedFields,
      indexes: {
        name: ({ metadata }) => [metadata.name],
        secret: secretKeysOf,
        provider: ({ spec }) => present([spec.oidcFromIdentityProvider?.name]),
      },
    }),
    providers: informer(kube.of(IdentityProvider.resource), {
      ...common('IdentityProvider'),
      transform: withoutManagedFields,
      indexes: { secret: ({ spec }) => keysOf([spec?.keycloak?.clientSecretRef]) },
    }),
    secrets: informer<KubeObject>(kube.of(secrets).metadata, { ...common('Secret'), transform: onlyIdentity }),
  }
  return {
    ...view,
    secretChanges: secretChanges({ kube, ...view }),
    run: (signal) =>
      runTogether(
        signal,
        Object.values(view).map(({ run }) => run),
      ),
  }
}

/** `namespace/name` of every Secret that the object names itself, usable or not, and of the CA that is kept beside it. */
export function secretKeysOf({ metadata, spec }: Stored<ClusterConfig>): Key[] {
  const block = spec.oidcAuth ?? spec.oidcFromIdentityProvider
  const named = keysOf([
    spec.kubeconfigSecretRef,
    block?.clientSecretRef,
    block?.caSecretRef,
    block?.refreshTokenSecretRef,
    block?.tokenExchange?.subjectTokenSecretRef,
    block?.tokenExchange?.actorTokenSecretRef,
  ])
  const kept = block && !block.caSecretRef ? [`${metadata.namespace}/${pinSecret(metadata.name)}`] : []
  return [...new Set([...named, ...kept])]
}

const present = <V>(values: readonly (V | undefined)[]): V[] => values.filter((value) => value !== undefined)

const keysOf = (references: readonly (SecretKeyReference | undefined)[]): Key[] =>
  present(references).map(({ namespace, name }) => `${namespace}/${name}`)

/** There may be many thousands of them, and most concern nobody here. */
function onlyIdentity({ metadata }: Stored<KubeObject>): Stored<KubeObject> {
  const { name, namespace, uid, resourceVersion } = metadata
  return { metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion } }
}
