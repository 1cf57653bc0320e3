import { failures } from '../failures.ts'
import type { KubeObject, Resource } from '../objects.ts'
import { collectionPath, segment, targetName } from './path.ts'

/** Where the objects of one kind are, in one namespace or in all. */
export class Address {
  readonly resource: Resource<KubeObject>
  readonly #namespace: string | undefined
  readonly #collection: string
  readonly #target: string

  constructor(resource: Resource<KubeObject>, namespace: string | undefined) {
    const { kind, namespaced } = resource
    if (namespace !== undefined && !namespaced) throw failures.KUBE_NOT_NAMESPACED({ kind, namespace })
    this.resource = resource
    this.#namespace = namespace
    this.#collection = collectionPath(resource, namespace)
    this.#target = targetName(resource)
  }

  /** Of everything here. */
  get all(): { path: string; target: string } {
    return { path: this.#collection, target: this.#target }
  }

  /** Of everything here, for what cannot be done to all namespaces at once. */
  whole(verb: string): { path: string; target: string } {
    return { path: this.#within(verb, undefined), target: this.#target }
  }

  /** Where `object` is created. Its own namespace counts when this address names none. */
  parentOf(object: KubeObject, verb: string): { path: string; target: string } {
    return { path: this.#within(verb, object.metadata?.namespace), target: this.#target }
  }

  one(
    verb: string,
    name: unknown,
    { namespace, subresource }: { namespace?: string | undefined; subresource?: string | undefined } = {},
  ) {
    const path = `${this.#within(verb, namespace)}/${segment('name', name)}`
    if (subresource === undefined) return { path, target: this.#target }
    return { path: `${path}/${segment('subresource', subresource)}`, target: `${this.#target}/${subresource}` }
  }

  #within(verb: string, namespace: string | undefined): string {
    const { resource } = this
    if (!resource.namespaced || this.#namespace !== undefined) return this.#collection
    if (namespace === undefined) throw failures.KUBE_NO_NAMESPACE({ kind: resource.kind, verb })
    return collectionPath(resource, namespace)
  }
}
