import { problemsOf } from '../../core/schema/check.ts'
import { withDefaults } from '../../core/schema/defaults.ts'
import { fieldError, fieldErrorUnder } from '../../core/schema/field-errors.ts'
import { withoutNulls } from '../../core/schema/nulls.ts'
import { prune } from '../../core/schema/prune.ts'
import type { Schema } from '../../core/schema/schema.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import type { Kind, KindVersion, Part, Rules, Subresource, Verb } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { apiVersionOf, resourceName, splitApiVersion } from '../objects.ts'
import { forbidden } from '../status.ts'
import type { Converter } from './conversion.ts'
import { asRoot, decodeCustom } from './decode-custom.ts'
import type { Definition, DefinitionVersion, Names, ScalePaths } from './definition.ts'
import { storageVersionOf } from './definition.ts'
import { checkEmbeddedResources } from './embedded-resources.ts'
import { plainSteps, valueAt } from './json-path.ts'
import { columnsFor } from './printer-columns.ts'
import { checkScaled, scaleView } from './scale-view.ts'
import { wholeSchema } from './whole-schema.ts'

/** In the order in which discovery tells them. */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

export interface CustomKindDeps {
  /** Turns objects into another version. Absent where all versions are alike but for their name. */
  convert?: Converter | undefined
}

/** The kind that a definition makes, under the names that were accepted for it. */
export function customKind(definition: Definition, { convert }: CustomKindDeps = {}): Kind {
  const { spec, metadata } = definition
  const { group } = spec
  const names: Names = definition.status?.acceptedNames?.plural ? definition.status.acceptedNames : spec.names
  const { kind, plural } = names
  const versions = new Map((spec.versions ?? []).map((version) => [version.name, new CustomVersion(version, kind)]))
  const versionOf = (object: ApiObject): CustomVersion | undefined =>
    versions.get(splitApiVersion(object.apiVersion).version)
  const served = [...versions.values()].filter(({ declared }) => declared.served)
  const isTerminating = metadata.deletionTimestamp !== undefined
  /** Defaults are those of the version that an object was stored in: what was converted from there gets no others. */
  const converted = new WeakSet<ApiObject>()
  const renew = (object: ApiObject): ApiObject =>
    converted.has(object) ? object : (versionOf(object)?.renewed(object) ?? object)

  return {
    group,
    kind,
    listKind: names.listKind || `${kind}List`,
    plural,
    singular: names.singular || kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    verbs,
    ...(isTerminating && { shownVerbs: verbs.filter((verb) => !['create', 'patch', 'update'].includes(verb)) }),
    versions: served.map((version) => version.served(group)).sort(byPriority),
    storage: resourceName(group, plural),
    storedAs: { apiVersion: apiVersionOf(group, storageVersionOf(definition)?.name ?? ''), kind },
    rules: rulesOf({ group, plural }, versionOf, isTerminating),
    subresources: subresourcesOf(served, versionOf),
    decode: (sent, { name }) => {
      const version = versions.get(name)
      return decodeCustom(version?.root ?? {}, sent, kind)
    },
    renew,
    convert: async (objects, apiVersion) => {
      const wanted = versions.get(splitApiVersion(apiVersion).version)
      const sources = objects.map(renew)
      const results = convert
        ? await convert(sources, apiVersion)
        : sources.map((object) => ({ ...object, apiVersion }))
      return results.map((result) => {
        const object = wanted ? prune(wanted.root, result).value : result
        converted.add(object)
        return object
      })
    },
    custom: true,
  }
}

/** One version of a custom kind: its schema, ready to be used. */
class CustomVersion {
  readonly declared: DefinitionVersion
  /** As the definition has it. */
  readonly schema: Schema
  readonly root: Schema
  readonly #kind: string

  constructor(declared: DefinitionVersion, kind: string) {
    this.declared = declared
    this.schema = declared.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    this.root = asRoot(this.schema)
    this.#kind = kind
  }

  get hasStatus(): boolean {
    return this.declared.subresources?.status !== undefined
  }

  get scale(): ScalePaths | undefined {
    return this.declared.subresources?.scale
  }

  served(group: string): KindVersion {
    const { name, deprecated, deprecationWarning, selectableFields = [] } = this.declared
    return {
      name,
      schema: wholeSchema(this.schema),
      columns: columnsFor(this.declared),
      ...(deprecated && { deprecation: deprecationWarning ?? `${group}/${name} ${this.#kind} is deprecated` }),
      selectable: Object.fromEntries(
        selectableFields.map(({ jsonPath }) => {
          const steps = plainSteps(jsonPath)
          return [steps.join('.'), (object: ApiObject) => selectableText(valueAt(object, steps))]
        }),
      ),
    }
  }

  /** Defaults first: null in a field with a default is that default, in any other it is nothing. */
  filled(object: ApiObject): ApiObject {
    return withoutNulls(this.schema, withDefaults(this.schema, object))
  }

  /** As if it were written now: what the schema has dropped since is gone, what it has added is there. */
  renewed(object: ApiObject): ApiObject {
    return this.filled(prune(this.root, object).value)
  }

  check(object: ApiObject, group: string): FieldError[] {
    return [
      ...checkType(object, apiVersionOf(group, this.declared.name), this.#kind),
      ...problemsOf(this.schema, object).map((problem) => fieldError(problem)),
      ...checkEmbeddedResources(this.schema, object),
      ...(this.scale ? checkScaled(object, this.scale) : []),
    ]
  }

  /** Of a change through the status subresource: the rest of the object is as it was, and may be no longer valid. */
  checkStatus(object: ApiObject): FieldError[] {
    const schema = this.schema.properties?.['status']
    const status = object['status']
    return [
      ...(schema && status !== undefined
        ? problemsOf(schema, status).map((problem) => fieldErrorUnder('status', problem))
        : []),
      ...(this.scale ? checkScaled(object, this.scale) : []),
    ]
  }
}

function checkType(object: ApiObject, apiVersion: string, kind: string): FieldError[] {
  return [
    ...(object.kind === kind ? [] : [invalidValue('kind', object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [invalidValue('apiVersion', object.apiVersion, `must be ${apiVersion}`)]),
  ]
}

const selectableText = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

type VersionOf = (object: ApiObject) => CustomVersion | undefined

function rulesOf(about: { group: string; plural: string }, versionOf: VersionOf, isTerminating: boolean): Rules {
  return {
    updatesUnconditionally: false,
    defaults(object) {
      const filled = versionOf(object)?.filled(object)
      if (!filled || filled === object) return
      for (const name of Object.keys(object)) if (!Object.hasOwn(filled, name)) delete object[name]
      Object.assign(object, filled)
    },
    prepareCreate(object) {
      if (isTerminating)
        throw forbidden(
          about,
          object.metadata.name ?? '',
          'create not allowed while custom resource definition is terminating',
        )
      if (versionOf(object)?.hasStatus) delete object['status']
    },
    prepareUpdate(object, old) {
      if (!versionOf(object)?.hasStatus) return
      if (old['status'] === undefined) delete object['status']
      else object['status'] = old['status']
    },
    check: (object) => versionOf(object)?.check(object, about.group) ?? [],
    generationOf(object) {
      const { apiVersion, kind, metadata, ...rest } = object
      if (!versionOf(object)?.hasStatus) return rest
      const { status, ...fields } = rest
      return fields
    },
  }
}

/**
 * What any served version has. A version without one of them answers for it all the same, unlike the real server: the
 * contract of a kind knows subresources of all versions only.
 */
function subresourcesOf(served: readonly CustomVersion[], versionOf: VersionOf): Record<string, Subresource> {
  const scale = served.map(({ scale }) => scale).find((paths) => paths !== undefined)
  return {
    ...(served.some(({ hasStatus }) => hasStatus) && { status: statusOf(versionOf) }),
    ...(scale && { scale: scaleView((object) => versionOf(object)?.scale ?? scale) }),
  }
}

const statusOf = (versionOf: VersionOf): Part => ({
  type: 'part',
  verbs: ['get', 'patch', 'update'],
  merge(submitted, old) {
    const { status: before, ...rest } = old
    const { status } = submitted
    const { managedFields } = submitted.metadata
    const metadata = { ...old.metadata, ...(managedFields && { managedFields }) }
    return { ...rest, metadata, ...(status !== undefined && { status }) } as ApiObject
  },
  check: (object) => versionOf(object)?.checkStatus(object) ?? [],
})

/** `v2` before `v1` before `v1beta1` before `v1alpha1`, and whatever is named otherwise last, by the alphabet. */
function byPriority({ name: one }: KindVersion, { name: other }: KindVersion): number {
  const [a, b] = [rankOf(one), rankOf(other)]
  if (!a || !b) return a ? -1 : b ? 1 : one < other ? -1 : 1
  return b[0] - a[0] || b[1] - a[1] || b[2] - a[2]
}

function rankOf(version: string): [stage: number, major: number, minor: number] | undefined {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version)
  if (!found) return undefined
  const stage = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0
  return [stage, Number(found[1]), Number(found[3] ?? 0)]
}
