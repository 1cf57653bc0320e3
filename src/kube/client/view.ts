import type { KubeObject } from '../objects.ts'

/** How much of each object is asked for. */
export interface View {
  /** Accept headers of one object or a watch, and of a list. */
  readonly one: string
  readonly list: string
  /** Makes sure of it where a server ignores the header. */
  trim<T extends KubeObject>(object: T): T
}

export const wholeObjects: View = {
  one: 'application/json',
  list: 'application/json',
  trim: (object) => object,
}

const partial = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`

/** Plain JSON as second choice, as client-go does: an aggregated API may know no other. */
export const metadataOnly: View = {
  one: partial('PartialObjectMetadata'),
  list: partial('PartialObjectMetadataList'),
  trim: <T extends KubeObject>(object: T): T => {
    if (object.kind === 'PartialObjectMetadata') return object
    const { apiVersion, kind, metadata } = object
    return { apiVersion, kind, metadata } as T
  },
}
