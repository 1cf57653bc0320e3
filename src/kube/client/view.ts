import type { KubeObject, Resource, Stored } from '../objects.ts'
import { apiVersionOf } from '../objects.ts'

/** How much of each object is asked for. */
export interface View {
  /** Accept headers of one object or a watch, and of a list. */
  readonly one: string
  readonly list: string
  trim<T extends KubeObject>(object: T): T
  /** The items of a list answer, each as `get` would give it. */
  completeList<T extends KubeObject>(
    items: Stored<T>[],
    listKind: string | undefined,
    resource: Resource<KubeObject>,
  ): Stored<T>[]
}

export const wholeObjects: View = {
  one: 'application/json',
  list: 'application/json',
  trim: (object) => object,
  completeList: (items, _, resource) => {
    // Items of built-in kinds come without the two; in place, since a list may be large.
    const apiVersion = apiVersionOf(resource)
    for (const item of items) {
      item.apiVersion ??= apiVersion
      item.kind ??= resource.kind
    }
    return items
  },
}

const partial = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`

const onlyMetadata = <T extends KubeObject>(object: T): T => ({ metadata: object.metadata }) as T

/** Plain JSON is accepted as second choice, as client-go does: an aggregated API may know no other. */
export const metadataOnly: View = {
  one: partial('PartialObjectMetadata'),
  list: partial('PartialObjectMetadataList'),
  trim: (object) => (object.kind === 'PartialObjectMetadata' ? object : onlyMetadata(object)),
  completeList: (items, listKind) => (listKind === 'PartialObjectMetadataList' ? items : items.map(onlyMetadata)),
}
