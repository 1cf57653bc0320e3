import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Key, KubeObject, Stored } from '../../kube/objects.ts'
import type { Way } from './contract.ts'
import { failures } from './failures.ts'
import { pinSecret, spokeAnnotations } from './names.ts'
import type { Version } from './own-writes.ts'
import type { SpokeView } from './view.ts'
import { secretsOf } from './way.ts'

/** The one ClusterConfig of this name. Of several none is taken: whoever may make one could otherwise redirect calls. */
export function configNamed(view: Pick<SpokeView, 'configs'>, cluster: string): Stored<ClusterConfig> {
  const [config, ...others] = view.configs.byIndex('name', cluster)
  if (!config) throw failures.SPOKE_UNKNOWN({ cluster })
  if (others.length === 0) return config
  const namespaces = [config, ...others].map(({ metadata }) => metadata.namespace).toSorted()
  throw failures.SPOKE_AMBIGUOUS({ cluster, namespaces: namespaces.join(', ') })
}

/** What a client was made of: while all of it stays as it is, the client serves. */
export class Basis {
  readonly config: Stored<ClusterConfig>
  readonly #provider: string | undefined
  readonly #providerWas: string | undefined
  readonly #secrets = new Map<Key, Version>()
  readonly #read = new Set<Key>()
  readonly #heard = new Map<Key, Version>()

  constructor(config: Stored<ClusterConfig>, way: Way, view: SpokeView) {
    this.config = config
    this.#provider = config.spec.oidcFromIdentityProvider?.name
    this.#providerWas = this.#provider && generationOf(view.providers.get(this.#provider))
    for (const key of secretsUsed(config, way)) this.#secrets.set(key, view.secrets.get(key)?.metadata.resourceVersion)
  }

  get secrets(): Iterable<Key> {
    return this.#secrets.keys()
  }

  /** What was read or written. False where something else was heard of it meanwhile: either may be the newer one. */
  note(key: Key, version: Version): boolean {
    if (!this.#secrets.has(key)) return true
    this.#read.add(key)
    const isAsHeard = !this.#heard.has(key) || this.#heard.get(key) === version
    this.#secrets.set(key, version)
    return isAsHeard
  }

  /** It is about to be read for a token, and will be found no older than what was heard of it until now. */
  willRead(key: Key): void {
    if (!this.#read.has(key)) this.#heard.delete(key)
  }

  /** What was read for a token. The first time counts: from then on what is other than that is news of the watch. */
  noteFirst(key: Key, version: Version): boolean {
    return this.#read.has(key) || this.note(key, version)
  }

  /** What nobody has read yet will be read as it is by then: while the client is being made, and for its first token. */
  hear(key: Key, version: Version): void {
    if (this.#read.has(key)) return
    this.#heard.set(key, version)
    this.#secrets.set(key, version)
  }

  hasSecret(key: Key, version: Version): boolean {
    return this.#secrets.get(key) === version
  }

  hasProvider({ providers }: SpokeView): boolean {
    return this.#provider === undefined || generationOf(providers.get(this.#provider)) === this.#providerWas
  }

  /** A confirmation that was followed is taken away, which is no news; another one is. */
  hasConfig({ configs }: SpokeView): boolean {
    const [config, ...others] = configs.byIndex('name', this.config.metadata.name)
    if (!config || others.length > 0 || generationOf(config) !== generationOf(this.config)) return false
    const confirmed = config.metadata.annotations?.[spokeAnnotations.trustedFingerprint]
    return (
      confirmed === undefined || confirmed === this.config.metadata.annotations?.[spokeAnnotations.trustedFingerprint]
    )
  }
}

/** A new object of the same name begins with generation 1 again. */
const generationOf = (object: Stored<KubeObject> | undefined): string | undefined =>
  object && `${object.metadata.uid}/${object.metadata.generation ?? 0}`

function secretsUsed({ metadata }: Stored<ClusterConfig>, way: Way): Key[] {
  const named = secretsOf(way).map(({ namespace, name }) => `${namespace}/${name}`)
  const beside = way.by === 'OIDC' && !way.trust.secret
  return beside ? [...named, `${metadata.namespace}/${pinSecret(metadata.name)}`] : named
}
