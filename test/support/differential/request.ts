/**
 * A request as the generator writes it down: without anything that a server has yet to say. What only the server
 * knows (a resourceVersion, a uid, a page's token) stands in it as a reference, which each plane fills in from what it
 * has answered itself. So a sequence depends on its seed alone, and any part of it can be sent again.
 */
export interface Request {
  readonly id: number
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, Value>>
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON, or as YAML where the content type says so. */
  readonly body?: unknown
  /** The object or collection that it is about, for a replay of one object's story. */
  readonly about: string
  /** A watch is read while so many further requests are sent. */
  readonly follow?: number
}

export type Value = string | Reference

export type Reference =
  /** The version of an object that was last seen, or an older one. */
  | { readonly $ref: 'version'; readonly of: string; readonly back: number }
  | { readonly $ref: 'uid'; readonly of: string }
  /** The object as it was last seen, with a merge patch on top. */
  | { readonly $ref: 'object'; readonly of: string; readonly back: number; readonly merge: unknown }
  /** The token of the last page of this list. */
  | { readonly $ref: 'continue'; readonly of: string }
  /** A version that some write was answered with, counted back from the last. */
  | { readonly $ref: 'revision'; readonly back: number }

export const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && '$ref' in value
