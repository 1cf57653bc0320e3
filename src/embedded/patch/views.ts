import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import type { Comparison } from './compare.ts'
import { compare } from './compare.ts'

/** An object as it looks in one version, and the schema of that version. */
export interface View {
  readonly object: ApiObject
  readonly schema: Schema
}

/** Undefined: there is no such version any more. Throws an `Unconvertible`. */
export type Convert = (object: ApiObject, apiVersion: string) => View | undefined

/** An object that does not fit another version: there nobody can tell whose its fields are. */
export class Unconvertible extends Error {}

/** Sees objects in the versions that their managers know them in. */
export class Versions {
  readonly apiVersion: string
  readonly schema: Schema
  readonly #convert: Convert | undefined

  constructor(apiVersion: string, schema: Schema, convert: Convert | undefined) {
    this.apiVersion = apiVersion
    this.schema = schema
    this.#convert = convert
  }

  /** `failing`: what has failed when that version does not fit. */
  view(object: ApiObject, apiVersion: string, failing = ''): View | undefined {
    const isHere = apiVersion === this.apiVersion && object.apiVersion === apiVersion
    if (isHere || !this.#convert) return { object, schema: this.schema }
    try {
      return this.#convert(object, apiVersion)
    } catch (error) {
      if (!(error instanceof Unconvertible) || failing === '') throw error
      throw new Unconvertible(`${failing}: ${error.message}`)
    }
  }

  /** Differences by version, found when they are asked for. */
  comparisons(before: ApiObject, after: ApiObject): (apiVersion: string) => Comparison | undefined {
    const known = new Map<string, Comparison | undefined>()
    return (apiVersion) => {
      if (!known.has(apiVersion)) known.set(apiVersion, this.#compare(before, after, apiVersion))
      return known.get(apiVersion)
    }
  }

  #compare(before: ApiObject, after: ApiObject, apiVersion: string): Comparison | undefined {
    const then = this.view(before, apiVersion, 'failed to convert old object')
    const now = this.view(after, apiVersion, 'failed to convert new object')
    return then && now && compare(now.schema, then.object, now.object)
  }
}
