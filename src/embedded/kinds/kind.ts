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
  /**
   * An object in another version with that one's schema, neither pruned nor filled: for whoever compares its fields.
   * Absent where versions are alike, and where it takes a webhook.
   */
  inVersion?(object: ApiObject, apiVersion: string): { object: ApiObject; schema: Schema } | undefined
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
  /** What a row of a table says of its object, for clients that hide some. Absent: nothing. */
  rowConditions?(object: ApiObject): readonly RowCondition[]
  /** Told in a Warning header on every request. */
  readonly deprecation?: string
  /** Field selectors besides `metadata.name` and `metadata.namespace`: the label, and its value in an object of this version. */
  readonly selectable: Readonly<Record<string, (object: ApiObject) => string>>
  /** In place of the kind's, where versions differ in them. */
  readonly subresources?: Readonly<Record<string, Subresource>>
}

export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
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
 * The rules of the same name, and two of the metadata: `whole` is what that of a new object is held to, `update` what a
 * change of it is. Both were asked before those of the kind; the real server asks again, and names a flaw as often as
 * it was found.
 */
export type UpdateCheck = 'whole' | 'check' | 'update' | 'checkUpdate'

/** What is wrong with an object: at once, or later where finding it takes long. */
export type Found = FieldError[] | Promise<FieldError[]>

/**
 * What is particular about the objects of a kind. All of it is optional; what every object has in common (metadata,
 * uid, timestamps, generation, managed fields) is done by `requests/`. The functions may change `object`, never `old`.
 */
export interface Rules {
  /** Fills in what the server fills in, on every write, after decoding. What was applied keeps its nulls: checks see them. */
  defaults?(object: ApiObject, isApplied?: boolean): void
  /** Makes fields agree before all else, in a write of the whole object. What is wrong with them is told alone. */
  settle?(object: ApiObject, old?: ApiObject): FieldError[]
  /** Drops what a client may not set on a new object (its status), sets what the server sets. */
  prepareCreate?(object: ApiObject, context: WriteContext): void
  /** The same for a change through the main resource: where there is a status subresource, the old status stays. */
  prepareUpdate?(object: ApiObject, old: ApiObject, context: WriteContext): void
  check?(object: ApiObject): FieldError[]
  /** Besides `check`, of new objects only. */
  checkCreate?(object: ApiObject): Found
  /** Besides `check`, which is called for changes too. What is wrong and was so before may be a warning instead. */
  checkUpdate?(object: ApiObject, old: ApiObject, warn: (text: string) => void): Found
  /** When the metadata of a new object is checked: before the rules, after them, or only if they find nothing. Default `first`. */
  readonly metadataOnCreate?: 'first' | 'last' | 'apart'
  /** What an update is held to, in the order in which it is told. Default: `update`, `check`, `checkUpdate`. */
  readonly updateChecks?: readonly UpdateCheck[]
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
  /** Objects of this kind are nobody's owners: the garbage collector is not waited for, whatever a client asks. */
  readonly ownsNothing?: boolean
  /** The real server keeps no cache of them: every read is of the storage, which knows pages and waits for no version. */
  readonly isUncached?: boolean
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
  check?(object: ApiObject, old: ApiObject, warn: (text: string) => void): Found
  /** Whether it is shown as a table. Default true. */
  readonly isTabled?: boolean
  /** PUT and apply make the whole object if it is not there. Default false. */
  readonly createsMissing?: boolean
}

/** A subresource that is asked with an object of another kind: `token`. */
export interface Action {
  readonly type: 'action'
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  /** Fills in what the server fills in, before anybody else looks at what was sent. */
  defaults?(submitted: ApiObject): void
  act(submitted: ApiObject, parent: ApiObject, context: WriteContext): Promise<ApiObject>
}

/** A subresource that shows the object as another kind, and takes that kind: `scale`. */
export interface View {
  readonly type: 'view'
  readonly verbs: readonly ('get' | 'patch' | 'update')[]
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  /** Of a table of what is shown. */
  readonly columns: readonly Column[]
  /** Why there is nothing to show to who only looks. */
  whyHidden?(object: ApiObject): string | undefined
  show(object: ApiObject): ApiObject
  merge(submitted: ApiObject, old: ApiObject): ApiObject
  /** Where each version of the object keeps what the view may change: whoever owns the one owns the other. */
  readonly replicasPaths: ReadonlyMap<string, readonly string[] | undefined>
  check?(submitted: ApiObject): FieldError[]
}

export type Subresource = Part | Action | View
