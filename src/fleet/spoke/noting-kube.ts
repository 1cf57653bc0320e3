import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Collection, Kube } from '../../kube/kube.ts'
import type { Key, KubeObject, Resource, Stored } from '../../kube/objects.ts'
import type { OwnWrites } from './own-writes.ts'

/** The same API; `note` hears of each Secret that was read or written through it, one at a time; undefined: not there. */
export function notingKube(
  kube: Kube,
  ownWrites: OwnWrites,
  note: (key: Key, found: Stored<Secret> | undefined) => void,
): Kube {
  return {
    request: (request) => kube.request(request),
    of: <T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> => {
      const collection = kube.of(resource, namespace)
      const { group, plural } = resource as Resource<KubeObject>
      if (group !== secrets.group || plural !== secrets.plural) return collection
      return noted(collection as Collection<Secret>, `${namespace}`) as Collection<T>
    },
  }

  function noted(collection: Collection<Secret>, namespace: string): Collection<Secret> {
    const keep = (name: string, found: Stored<Secret> | undefined) => note(`${namespace}/${name}`, found)
    const written = (name: string, write: () => Promise<Stored<Secret>>) =>
      ownWrites.during(`${namespace}/${name}`, async () => {
        const stored = await write()
        keep(stored.metadata.name, stored)
        return stored
      })
    const own: Partial<Collection<Secret>> = {
      async find(name, options) {
        const found = await collection.find(name, options)
        keep(name, found)
        return found
      },
      create: (object, options) => written(object.metadata?.name ?? '', () => collection.create(object, options)),
      update: (object, options) => written(object.metadata?.name ?? '', () => collection.update(object, options)),
      patch: (name, patch, options) => written(name, () => collection.patch(name, patch, options)),
    }
    // Bound to the collection itself: its private fields are out of reach for anything that only looks like it.
    return new Proxy(collection, {
      get(target, property) {
        const value = Reflect.get(own, property) ?? Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}
