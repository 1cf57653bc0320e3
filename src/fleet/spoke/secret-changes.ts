import { createHash } from 'node:crypto'
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Informer } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Key, KubeObject, Stored } from '../../kube/objects.ts'
import { keyOf, splitKey } from '../../kube/objects.ts'
import type { Version } from './own-writes.ts'

/** The keys that changed. Undefined: which is not known, and any may have. */
export type ChangedKeys = ReadonlySet<string> | undefined
export type SecretHandler = (key: Key, version: Version, changed: ChangedKeys) => void

/**
 * What changes in the Secrets of clusters. A watch shows versions only, and those of a rotating refresh token change
 * with each use: whoever took that for news would refresh and write again, in turn with other replicas, for ever. So
 * such a Secret is read again and compared. All others are told of at once.
 */
export interface SecretChanges {
  /** What is here already it is told, too, before this returns. */
  on(handler: SecretHandler): Disposable
  /** A Secret as somebody read it, so that its first change has something to be compared with. */
  seen(secret: Stored<Secret>): void
}

interface Contents {
  readonly version: Version
  readonly digests: ReadonlyMap<string, string>
}

export interface SecretChangesDeps {
  kube: Kube
  configs: Informer<ClusterConfig, 'secret'>
  secrets: Informer<KubeObject>
}

export function secretChanges({ kube, configs, secrets: informer }: SecretChangesDeps): SecretChanges {
  const handlers = new Set<SecretHandler>()
  const known = new Map<Key, Contents>()
  const underWay = new Set<Key>()
  const versionOf = (key: Key): Version => informer.get(key)?.metadata.resourceVersion
  const isRotating = (key: Key) =>
    configs.byIndex('secret', key).some((config) => rotatedKeyIn(config, key) !== undefined)
  const tell = (key: Key, version: Version, changed: ChangedKeys) => {
    for (const handler of [...handlers]) handler(key, version, changed)
  }

  informer.on(({ type, object }) => {
    const key = keyOf(object)
    const version = type === 'deleted' ? undefined : object.metadata.resourceVersion
    // Read before it is shown: that stays, to be compared with. Others may have waited for it to be there.
    if (type === 'added' && known.get(key)?.version === version) return tell(key, version, undefined)
    if (type !== 'updated') known.delete(key)
    if (type !== 'deleted' && isRotating(key)) return void lookUntilCurrent(key)
    known.delete(key)
    tell(key, version, undefined)
  })

  async function lookUntilCurrent(key: Key): Promise<void> {
    if (underWay.has(key) || versionOf(key) === known.get(key)?.version) return
    underWay.add(key)
    let looked: Version
    do {
      looked = versionOf(key)
      judge(key, looked, await read(key))
    } while (versionOf(key) !== looked && versionOf(key) !== known.get(key)?.version)
    underWay.delete(key)
  }

  function judge(key: Key, looked: Version, found: Stored<Secret> | undefined): void {
    // Gone, in between or for good, or out of reach: whoever needs it finds out.
    if (!found || versionOf(key) === undefined) {
      known.delete(key)
      tell(key, looked, undefined)
      return
    }
    const before = known.get(key)
    const after = contentsOf(found)
    known.set(key, after)
    const changed = before && differing(before, after)
    if (changed?.size !== 0) tell(key, after.version, changed)
  }

  async function read(key: Key): Promise<Stored<Secret> | undefined> {
    const { namespace, name } = splitKey(key)
    return kube
      .of(secrets, namespace)
      .find(name)
      .catch(() => undefined)
  }

  return {
    on(handler) {
      handlers.add(handler)
      for (const object of informer.list()) handler(keyOf(object), object.metadata.resourceVersion, undefined)
      return { [Symbol.dispose]: () => void handlers.delete(handler) }
    },
    seen(secret) {
      const key = keyOf(secret)
      // Another version than the watch has shown is news that is still to come, unless it has shown none.
      const isFirst = [undefined, secret.metadata.resourceVersion].includes(versionOf(key))
      if (isFirst && !known.has(key) && !underWay.has(key) && isRotating(key)) known.set(key, contentsOf(secret))
    },
  }
}

/** Under which key the hub itself keeps successors in this Secret, for this ClusterConfig. */
function rotatedKeyIn({ spec }: ClusterConfig, secret: Key): string | undefined {
  const block = spec.oidcAuth ?? spec.oidcFromIdentityProvider
  const named = block?.refreshTokenSecretRef
  return named && `${named.namespace}/${named.name}` === secret ? block?.rotatedRefreshTokenKey || undefined : undefined
}

/** Successors are read when they are needed: that there is another one is no news. */
export const concerns = (config: ClusterConfig, secret: Key, changed: ChangedKeys): boolean =>
  changed === undefined || [...changed].some((key) => key !== rotatedKeyIn(config, secret))

/** Notes of trust are kept as annotations. No key has an empty name. */
const contentsOf = ({ metadata, data = {} }: Stored<Secret>): Contents => ({
  version: metadata.resourceVersion,
  digests: new Map([
    ['', digestOf(JSON.stringify([metadata.uid, metadata.annotations, metadata.ownerReferences]))],
    ...Object.entries(data).map(([key, value]): [string, string] => [key, digestOf(value)]),
  ]),
})

const differing = ({ digests: before }: Contents, { digests: after }: Contents): Set<string> =>
  new Set([...before.keys(), ...after.keys()].filter((key) => before.get(key) !== after.get(key)))

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')
