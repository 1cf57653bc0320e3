import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import type { Comparison } from './compare.ts'
import { compare } from './compare.ts'

/** An object as it looks in one version, and the schema of that version. */
export interface View {
  readonly object: ApiObject
  readonly schema: Schema
}

/** Undefined: there is no such version any more. */
export type Convert = (object: ApiObject, apiVersion: string) => View | undefined

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

  view(object: ApiObject, apiVersion: string): View | undefined {
    const isHere = apiVersion === this.apiVersion && object.apiVersion === apiVersion
    return isHere || !this.#convert ? { object, schema: this.schema } : this.#convert(object, apiVersion)
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
    const [then, now] = [this.view(before, apiVersion), this.view(after, apiVersion)]
    return then && now && compare(now.schema, then.object, now.object)
  }
}
