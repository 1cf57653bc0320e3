import { failures } from './failures.ts'
import type { Collection, Kube } from './kube.ts'
import type { KubeObject, Resource } from './objects.ts'

const writes: readonly (keyof Collection<KubeObject>)[] = [
  ...(['create', 'update', 'patch', 'apply', 'delete', 'deleteCollection', 'createSubresource'] as const),
]

/** The same API for whoever must change nothing: all that writes is refused with KUBE_READ_ONLY, and nothing is sent. */
export function readOnly(kube: Kube): Kube {
  return {
    request: async (request) => {
      if ((request.method ?? 'GET') !== 'GET')
        throw failures.KUBE_READ_ONLY({ verb: request.method, what: request.path })
      return kube.request(request)
    },
    of: <T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> => {
      const refuse = (verb: string) => async () => {
        throw failures.KUBE_READ_ONLY({ verb, what: resource.kind })
      }
      const refused = new Map<PropertyKey, unknown>(writes.map((verb) => [verb, refuse(verb)]))
      // Bound to the collection itself: its private fields are out of reach for anything that only looks like it.
      return new Proxy(kube.of(resource, namespace), {
        get(target, property) {
          const value = refused.get(property) ?? Reflect.get(target, property, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
  }
}
