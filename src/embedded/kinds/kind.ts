import type { FieldError } from '../../core/schema/field-errors.ts'
import type { Schema } from '../../core/schema/schema.ts'
import type { User } from '../authentication/user.ts'
import type { ApiObject } from '../objects.ts'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

/** One kind of object: how it is addressed, how each version looks, and what rules its objects follow. */
export interface Kind {
  readonly group: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  /** What discovery tells where that is less than what is served: a custom kind that is being removed. */
  readonly shownVerbs?: readonly Verb[]
  /** Served ones, the preferred one first. */
  readonly versions: readonly KindVersion[]
  /** Where objects are kept: `resourceName(group, plural)`, but for kinds that are two views of one store (events). */
  readonly storage: string
  /** The apiVersion and kind that stored objects carry. */
  readonly storedAs: { readonly apiVersion: string; readonly kind: string }
  readonly rules: Rules
  readonly subresources: Readonly<Record<string, Subresource>>
  /** What a client sent, as an object of this version: typed and pruned. Throws 400 for what cannot be one. */
  decode(sent: Record<string, unknown>, version: KindVersion): Decoded
  /** What is kept may be older than the schema: fills in defaults and prunes on the way out. Absent: nothing to do. */
  renew?(stored: ApiObject, version: KindVersion): ApiObject
  /** Present where versions differ. Never called with objects that are in that version already. */
  convert?(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]>
  /** In place of storage: the answer to a create. For reviews, which are questions. */
  answer?(object: ApiObject, context: WriteContext): Promise<ApiObject>
  /** True for kinds that a CustomResourceDefinition made: their schemas are enforced as structural schemas are. */
  readonly custom: boolean
}

export interface Decoded {
  readonly object: ApiObject
  /** What strict validation holds against it, in Kubernetes' words: `unknown field "spec.foo"`. */
  readonly flaws: readonly string[]
}

export interface KindVersion {
  readonly name: string
  /** For pruning, strict decoding and server-side apply. Whole: `apiVersion`, `kind` and `metadata` are in it. */
  readonly schema: Schema
  readonly columns: readonly Column[]
  /** Told in a Warning header on every request. */
  readonly deprecation?: string
  /** Field selectors besides `metadata.name` and `metadata.namespace`: the label, and its value in an object of this version. */
  readonly selectable: Readonly<Record<string, (object: ApiObject) => string>>
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0 is shown always, anything above with `-o wide`. */
  readonly priority: number
  cell(object: ApiObject, now: Date): string | number | boolean | null
}

/** About the write that is under way. */
export interface WriteContext {
  readonly user: User
  readonly now: Date
  readonly dryRun: boolean
  /** Of the object, or for a review in a namespace, of the request. */
  readonly namespace: string
}

/**
 * What is particular about the objects of a kind. All of it is optional; what every object has in common (metadata,
 * uid, timestamps, generation, managed fields) is done by `requests/`. The functions may change `object`, never `old`.
 */
export interface Rules {
  /** Fills in what the server fills in, on every write, after decoding. */
  defaults?(object: ApiObject): void
  /** Drops what a client may not set on a new object (its status), sets what the server sets. */
  prepareCreate?(object: ApiObject, context: WriteContext): void
  /** The same for a change through the main resource: where there is a status subresource, the old status stays. */
  prepareUpdate?(object: ApiObject, old: ApiObject, context: WriteContext): void
  check?(object: ApiObject): FieldError[]
  /** Besides `check`, of new objects only. */
  checkCreate?(object: ApiObject): FieldError[]
  /** Besides `check`, which is called for changes too. */
  checkUpdate?(object: ApiObject, old: ApiObject): FieldError[]
  warnings?(object: ApiObject, old?: ApiObject): string[]
  /** Why `name` cannot be one, as Kubernetes words it. Default: a DNS subdomain. `isPrefix` for generateName. */
  checkName?(name: string, isPrefix: boolean): string[]
  /** PUT makes what is not there. */
  readonly createsOnUpdate?: boolean
  /** Default true: PUT without a resourceVersion overwrites. */
  readonly updatesUnconditionally?: boolean
  /** `metadata.generation` is kept, and moves when this changes. Undefined: it is not kept. */
  generationOf?(object: ApiObject): unknown
  /** DELETE answers with the object that is gone in place of a Status. */
  readonly answersDeleted?: boolean
  /** Seconds that a deleted object stays for somebody to wind it down. Default 0. */
  graceSeconds?(object: ApiObject, asked: number | undefined): number
  /** Marks an object that is being deleted and stays for now (a namespace has a phase). */
  markDeleting?(object: ApiObject): void
  /** Finalizers outside of metadata (a namespace has them in spec). */
  finalizersOf?(object: ApiObject): readonly string[]
}

/** A subresource that shows, or changes a part of, the object itself. */
export interface Part {
  readonly type: 'part'
  readonly verbs: readonly ('get' | 'patch' | 'update')[]
  /** What becomes of the object when a client submits this through the subresource. A new object. */
  merge(submitted: ApiObject, old: ApiObject, context: WriteContext): ApiObject
  check?(object: ApiObject, old: ApiObject): FieldError[]
}

/** A subresource that is asked with an object of another kind: `token`. */
export interface Action {
  readonly type: 'action'
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  act(submitted: ApiObject, parent: ApiObject, context: WriteContext): Promise<ApiObject>
}

/** A subresource that shows the object as another kind, and takes that kind: `scale`. */
export interface View {
  readonly type: 'view'
  readonly verbs: readonly ('get' | 'patch' | 'update')[]
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  show(object: ApiObject): ApiObject
  merge(submitted: ApiObject, old: ApiObject): ApiObject
  check?(submitted: ApiObject): FieldError[]
}

export type Subresource = Part | Action | View
