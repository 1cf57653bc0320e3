import { withDefaults } from '../../core/schema/defaults.ts'
import { fieldError, fieldErrorUnder } from '../../core/schema/field-errors.ts'
import { withoutNulls } from '../../core/schema/nulls.ts'
import { prune } from '../../core/schema/prune.ts'
import type { Schema } from '../../core/schema/schema.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import type { Kind, KindVersion, Part, Rules, Subresource, Verb, View } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { apiVersionOf, resourceName, splitApiVersion } from '../objects.ts'
import { forbidden } from '../status.ts'
import type { Converter } from './conversion.ts'
import { Correlated } from './correlated.ts'
import { asRoot, decodeCustom } from './decode-custom.ts'
import type { Definition, DefinitionVersion, Names, ScalePaths } from './definition.ts'
import { hasCondition, storageVersionOf } from './definition.ts'
import { checkEmbeddedResources } from './embedded-resources.ts'
import { checkType, metadataErrors } from './envelope-checks.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { plainSteps, valueAt } from './json-path.ts'
import { columnsFor } from './printer-columns.ts'
import { problemsOfChange, problemsOfStatus } from './ratchet.ts'
import type { RuleNode } from './rules/rule-tree.ts'
import { ruleTree } from './rules/rule-tree.ts'
import { runRulesInSlices } from './rules/run-rules.ts'
import { checkScaled, checkScaledStatus, scaleView } from './scale-view.ts'
import { byPriority } from './version-priority.ts'
import { wholeSchema } from './whole-schema.ts'

/** In the order in which discovery tells them. */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

export interface CustomKindDeps {
  /** Turns objects into another version. Absent where all versions are alike but for their name. */
  convert?: Converter | undefined
}

/** The kind that a definition makes, under the names that were accepted for it. */
export function customKind(definition: Definition, { convert }: CustomKindDeps = {}): Kind {
  const { spec } = definition
  const { group } = spec
  const names: Names = definition.status?.acceptedNames?.plural ? definition.status.acceptedNames : spec.names
  const { kind, plural } = names
  const versions = new Map((spec.versions ?? []).map((version) => [version.name, new CustomVersion(version, kind)]))
  const versionOf = (object: ApiObject): CustomVersion | undefined =>
    versions.get(splitApiVersion(object.apiVersion).version)
  const served = [...versions.values()].filter(({ declared }) => declared.served)
  const replicasPaths = new Map(
    [...versions].map(([name, { scale }]) => [apiVersionOf(group, name), scale && plainSteps(scale.specReplicasPath)]),
  )
  const isTerminating = hasCondition(definition, 'Terminating')
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
    versions: served
      .map((version) => ({
        ...version.served(group),
        subresources: subresourcesOf([version], versionOf, replicasPaths),
      }))
      .sort(byPriority),
    storage: resourceName(group, plural),
    storedAs: { apiVersion: apiVersionOf(group, storageVersionOf(definition)?.name ?? ''), kind },
    rules: rulesOf({ group, plural, kind }, versionOf, isTerminating),
    subresources: subresourcesOf(served, versionOf, replicasPaths),
    decode: (sent, { name }) => {
      const version = versions.get(name)
      return decodeCustom(version?.root ?? {}, sent, kind)
    },
    renew,
    ...(!convert && {
      inVersion(object: ApiObject, apiVersion: string) {
        const version = versions.get(splitApiVersion(apiVersion).version)
        return version && { object: { ...object, apiVersion }, schema: version.whole }
      },
    }),
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
  #rules: RuleNode | null | undefined
  #whole: Schema | undefined

  constructor(declared: DefinitionVersion, kind: string) {
    this.declared = declared
    this.schema = declared.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    this.root = asRoot(this.schema)
    this.#kind = kind
  }

  /** With what every object has. */
  get whole(): Schema {
    this.#whole ??= wholeSchema(this.schema)
    return this.#whole
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
      schema: this.whole,
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
  filled(object: ApiObject, keepsNulls = false): ApiObject {
    const whole = withDefaults(this.schema, object)
    return keepsNulls ? whole : withoutNulls(this.schema, whole)
  }

  /** As if it were written now: what the schema has dropped since is gone, what it has added is there. */
  renewed(object: ApiObject): ApiObject {
    return this.filled(prune(this.root, object).value)
  }

  /** Of a new object, or of a change of `old`. */
  async check(object: ApiObject, group: string, old?: ApiObject, warn: Warn = ignore): Promise<FieldError[]> {
    const before = old && new Correlated(this.schema, object, old)
    const mistaken = checkType(object, apiVersionOf(group, this.declared.name), this.#kind)
    const wrong = () => [
      ...problemsOfChange(this.schema, object, before).map((problem) => fieldError(problem)),
      ...(this.scale ? checkScaled(object, this.scale) : []),
    ]
    const errors = [...(mistaken.length > 0 ? mistaken : wrong()), ...checkEmbeddedResources(this.schema, object)]
    // Told by others, and in the way of the rules all the same.
    const ofMetadata = mistaken.length > 0 ? [] : metadataErrors(object, old)
    return [...errors, ...(await this.#checkRules([...ofMetadata, ...errors], object, before, warn))]
  }

  /** Of a change through the status subresource: the rest of the object is as it was, and may be no longer valid. */
  async checkStatus(object: ApiObject, old: ApiObject, warn: Warn): Promise<FieldError[]> {
    const before = new Correlated(this.schema, object, old)
    const { ofStatus, ofLists } = problemsOfStatus(before)
    const errors = [
      ...ofStatus.map((problem) => fieldErrorUnder('status', problem)),
      ...ofLists.map((problem) => fieldError(problem)),
      ...(this.scale ? checkScaledStatus(object, this.scale) : []),
    ]
    return [...errors, ...(await this.#checkRules(errors, object, before, warn))]
  }

  async #checkRules(
    errors: readonly FieldError[],
    object: ApiObject,
    before: Correlated | undefined,
    warn: Warn,
  ): Promise<FieldError[]> {
    if (this.#rules === undefined) this.#rules = ruleTree(this.schema) ?? null
    if (this.#rules === null) return []
    if (errors.some(({ reason }) => keepsFromRules.has(reason))) return [rulesNotChecked]
    const outcome = await runRulesInSlices(this.#rules, {
      value: object,
      old: before?.old,
      field: '',
      ratchet: { current: before },
    })
    for (const warning of outcome.warnings) warn(warning)
    return [...outcome.errors]
  }
}

type Warn = (text: string) => void
const ignore: Warn = () => {}

/** With these, values may be of other types than rules expect, or larger. */
const keepsFromRules: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const rulesNotChecked = invalidValue(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)

const selectableText = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

type VersionOf = (object: ApiObject) => CustomVersion | undefined

function rulesOf(
  about: { group: string; plural: string; kind: string },
  versionOf: VersionOf,
  isTerminating: boolean,
): Rules {
  return {
    updatesUnconditionally: false,
    defaults(object, isApplied = false) {
      const filled = object.kind === about.kind ? versionOf(object)?.filled(object, isApplied) : undefined
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
    checkCreate: (object) => versionOf(object)?.check(object, about.group) ?? [],
    warnings: (object, old) => finalizerWarnings(object, old),
    checkUpdate: (object, old, warn) => versionOf(object)?.check(object, about.group, old, warn) ?? [],
    generationOf(object) {
      const { apiVersion, kind, metadata, ...rest } = object
      if (!versionOf(object)?.hasStatus) return rest
      const { status, ...fields } = rest
      return fields
    },
  }
}

/** What any of these versions has. */
function subresourcesOf(
  served: readonly CustomVersion[],
  versionOf: VersionOf,
  replicasPaths: View['replicasPaths'],
): Record<string, Subresource> {
  const scale = served.map(({ scale }) => scale).find((paths) => paths !== undefined)
  return {
    ...(served.some(({ hasStatus }) => hasStatus) && { status: statusOf(versionOf) }),
    ...(scale && { scale: scaleView((object) => versionOf(object)?.scale ?? scale, replicasPaths) }),
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
  check: (object, old, warn) => versionOf(object)?.checkStatus(object, old, warn) ?? [],
})
