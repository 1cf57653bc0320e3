import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Static, TObject } from 'typebox'
import { problemsOf } from '../core/schema/check.ts'
import { withDefaults } from '../core/schema/defaults.ts'
import type { FieldError } from '../core/schema/field-errors.ts'
import { fieldError } from '../core/schema/field-errors.ts'
import { prune } from '../core/schema/prune.ts'
import type { Schema } from '../core/schema/schema.ts'
import { structural } from '../core/schema/structural.ts'
import type { KubeObject, Resource } from '../kube/objects.ts'
import type { ConversionWebhook } from './crd.ts'
import { crdOf, rootSchema } from './crd.ts'

/**
 * A custom resource is declared once: the declaration is its type in TypeScript, its CRD manifest, its defaults, its
 * checks and its reference page.
 */
export interface Declaration<V extends readonly Version[] = readonly Version[]> {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Cluster' | 'Namespaced'
  /** Of the manifest. Groups below k8s.io must say who approved of them: `api-approved.kubernetes.io`. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Exactly one has `storage: true`; the resource is used in that version unless another is asked for. */
  readonly versions: V
  /** The versions differ in more than their name: objects are converted by a webhook of ours at this path. */
  readonly conversion?: { readonly webhookPath: string }
}

export interface Version {
  readonly name: string
  /** Default true. */
  readonly served?: boolean
  /** Default false. */
  readonly storage?: boolean
  /** `spec`, `status` and whatever else there is beside the metadata. Its description is that of the kind. */
  readonly schema: TObject
  /** Default: `status` when the schema has a status. */
  readonly subresources?: { readonly status?: boolean; readonly scale?: Scale }
  readonly columns?: readonly Column[]
  /** JSON paths of fields that may be used in a field selector: `.spec.user`. */
  readonly selectableFields?: readonly string[]
  /** Clients are warned; a text replaces the usual warning. */
  readonly deprecated?: true | string
}

export interface Scale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly jsonPath: string
  readonly description?: string
  readonly format?: string
  /** Above 0: only with `-o wide`. */
  readonly priority?: number
}

type VersionName<V extends readonly Version[]> = V[number]['name']
type StorageName<V extends readonly Version[]> = Extract<V[number], { readonly storage: true }>['name']
type ObjectIn<V extends readonly Version[], Name extends string> = KubeObject &
  Static<Extract<V[number], { readonly name: Name }>['schema']>

/** A declared resource, whichever it is. */
export interface AnyCustomResource {
  readonly declaration: Declaration
  /** The address for the client, in the storage version. */
  readonly resource: Resource<KubeObject>
  /** The address in each version. */
  readonly versions: Readonly<Record<string, Resource<KubeObject>>>
  /** What an API server is given to serve it. Throws a TypeError when the declaration is not one that it would take. */
  crd(options?: { conversion?: ConversionWebhook }): CustomResourceDefinition
  /** The complete structural schema of a version, metadata included. */
  schema(version: string): Schema
  /** The object with the defaults of its version filled in, as the API server stores it. */
  applyDefaults<T extends KubeObject>(object: T): T
  /** What is wrong with the object, in the words of the API server. `strict`: also fields that are not declared. */
  check(object: KubeObject, options?: { strict?: boolean }): FieldError[]
}

export interface CustomResource<V extends readonly Version[]> extends AnyCustomResource {
  readonly declaration: Declaration<V>
  readonly resource: Resource<ObjectIn<V, StorageName<V>>>
  readonly versions: { readonly [Name in VersionName<V>]: Resource<ObjectIn<V, Name>> }
}

/** The type of a declared resource, in its storage version or the one named. */
export type ObjectOf<R extends { declaration: Declaration }, Name extends string = ''> = ObjectIn<
  R['declaration']['versions'],
  Name extends '' ? StorageName<R['declaration']['versions']> : Name
>

/**
 * @example
 * export const ClusterClaim = customResource({ group: 'cluster.open-cluster-management.io', kind: 'ClusterClaim', … })
 * export type ClusterClaim = ObjectOf<typeof ClusterClaim>
 * await kube.of(ClusterClaim.resource).get('id.k8s.io')
 */
export function customResource<const V extends readonly Version[]>(declaration: Declaration<V>): CustomResource<V> {
  const { group, kind, plural, scope } = declaration
  const addresses = new Map(
    declaration.versions.map(({ name }) => [
      name,
      { group, version: name, plural, kind, namespaced: scope === 'Namespaced' },
    ]),
  )
  // Worked out when first asked for: an agent uses the address of most kinds and the schema of few.
  const schemas = new Map<string, Schema>()
  const schemaOf = (version: string): Schema | undefined => {
    const declared = declaration.versions.find(({ name }) => name === version)
    if (declared && !schemas.has(version)) schemas.set(version, rootSchema(structural(declared.schema)))
    return schemas.get(version)
  }
  const schemaFor = (object: KubeObject): Schema | undefined => {
    const [version = '', of = ''] = (object.apiVersion ?? '').split('/').reverse()
    return of === group ? schemaOf(version) : undefined
  }

  return {
    declaration,
    resource: addresses.get(
      declaration.versions.find(({ storage }) => storage)?.name ?? '',
    ) as CustomResource<V>['resource'],
    versions: Object.fromEntries(addresses) as CustomResource<V>['versions'],
    crd: (options) => crdOf(declaration, (version) => schemaOf(version) ?? {}, options?.conversion),
    schema: (version) => schemaOf(version) ?? {},
    applyDefaults: (object) => withDefaults(schemaFor(object) ?? {}, object),
    check(object, { strict = false } = {}) {
      const schema = schemaFor(object)
      const served = declaration.versions.map(({ name }) => `${group}/${name}`)
      if (!schema)
        return [fieldError({ path: ['apiVersion'], keyword: 'enum', expected: served, value: object.apiVersion })]
      if (object.kind !== kind)
        return [fieldError({ path: ['kind'], keyword: 'enum', expected: [kind], value: object.kind })]
      const unknown = strict ? prune(withAnyMetadata(schema), object).unknown : []
      return [
        ...problemsOf(schema, object).map(fieldError),
        ...unknown.map((path) => fieldError({ path, keyword: 'unknown', value: undefined })),
      ]
    },
  }
}

/** Metadata is the API server's to check. */
const withAnyMetadata = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, metadata: { 'x-kubernetes-preserve-unknown-fields': true } },
})

export const isCustomResource = (value: unknown): value is AnyCustomResource =>
  typeof value === 'object' && value !== null && 'declaration' in value && 'crd' in value
