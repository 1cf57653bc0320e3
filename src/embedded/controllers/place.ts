import type { KubeObject, Resource } from '../../kube/objects.ts'
import { resource } from '../../kube/objects.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { apiVersionOf } from '../objects.ts'
import type { Entry, Store } from '../storage/store.ts'

/** Where an object of any kind is kept, as one text: the key of controllers that work on all kinds. */
export type Place = string

export const placeOf = ({ storage, namespace, name }: Pick<Entry, 'storage' | 'namespace' | 'name'>): Place =>
  `${storage} ${namespace}/${name}`

/** Neither storages nor namespaces have spaces or slashes; names may. */
export function entryAt(store: Store, place: Place): Entry | undefined {
  const [space, slash] = [place.indexOf(' '), place.indexOf('/')]
  return store.get(place.slice(0, space), place.slice(space + 1, slash), place.slice(slash + 1))
}

/** The kind whose objects are kept there. Of two that share a storage, the first. */
export const kindOf = (registry: Registry, { storage }: Pick<Entry, 'storage'>): Kind | undefined =>
  registry.all().find((kind) => kind.storage === storage)

/** How the objects of a kind are asked for: as they are kept, where that version is served, so that none is converted. */
export function resourceOf(registry: Registry, kind: Kind): Resource<KubeObject> {
  const { storedAs, plural, namespaced } = kind
  const isServed = registry.findKind(storedAs.apiVersion, storedAs.kind)?.kind.plural === plural
  const apiVersion = isServed ? storedAs.apiVersion : apiVersionOf(kind.group, kind.versions[0]?.name ?? '')
  return resource(apiVersion, kind.kind, plural, { namespaced })
}
