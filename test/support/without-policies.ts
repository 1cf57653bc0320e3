import { DenyPolicy } from '../../src/apis/breakglass/deny-policy.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import type { Collection, Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../src/kube/objects.ts'

const methodsOf = <T extends KubeObject>(found: Collection<T>): Collection<T> => ({
  get: (...given) => found.get(...given),
  find: (...given) => found.find(...given),
  list: (...given) => found.list(...given),
  pages: (...given) => found.pages(...given),
  create: (...given) => found.create(...given),
  update: (...given) => found.update(...given),
  patch: (...given) => found.patch(...given),
  apply: (...given) => found.apply(...given),
  delete: (...given) => found.delete(...given),
  deleteCollection: (...given) => found.deleteCollection(...given),
  createSubresource: (...given) => found.createSubresource(...given),
  watch: (...given) => found.watch(...given),
  metadata: found.metadata,
})

/** A hub that is refused to look at policies while that is said. */
export function withoutPolicies(kube: Kube, areUnreadable: () => boolean): Kube {
  const refuse = (): never => {
    const message = 'denypolicies is forbidden'
    throw new KubeFailure({ code: 403, reason: 'Forbidden', message }, { method: 'GET', path: '/' })
  }
  const of = <T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> => {
    const found = kube.of(resource, namespace)
    if (resource.plural !== DenyPolicy.resource.plural) return found
    const unless =
      <A extends unknown[], R>(ask: (...given: A) => R) =>
      (...given: A): R =>
        areUnreadable() ? refuse() : ask(...given)
    return {
      ...methodsOf(found),
      list: unless((options) => found.list(options)),
      pages: unless((options) => found.pages(options)),
      watch: unless((options) => found.watch(options)),
    }
  }
  return { of, request: (given) => kube.request(given) }
}
