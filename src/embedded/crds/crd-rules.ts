import { isKnownFormat } from '../../core/schema/formats.ts'
import type { Rules } from '../kinds/kind.ts'
import { checkDefinition, checkDefinitionUpdate } from './checks/check-definition.ts'
import { nodesOf } from './checks/schema-walk.ts'
import { conditionsOf, terminating, withCondition } from './conditions.ts'
import type { Definition, DefinitionStatus } from './definition.ts'
import { asDefinition, cleanupFinalizer, storageVersionOf } from './definition.ts'

/** What CustomResourceDefinitions are held to. What they bring about is the business of `crd-controller.ts`. */
export const crdRules: Rules = {
  updatesUnconditionally: false,
  defaults(object) {
    const definition = asDefinition(object)
    definition.spec ??= {} as Definition['spec']
    const { spec } = definition
    spec.names ??= {} as Definition['spec']['names']
    const { names } = spec
    names.plural ??= ''
    names.kind ??= ''
    if (!names.singular && names.kind) names.singular = names.kind.toLowerCase()
    if (!names.listKind && names.kind) names.listKind = `${names.kind}List`
    spec.conversion ??= { strategy: 'None' }
    const service = spec.conversion.webhook?.clientConfig?.service
    if (service) service.port ??= 443
    const status = { ...emptyStatus(), ...definition.status }
    if (status.storedVersions?.length === 0) status.storedVersions = storedFrom(definition)
    definition.status = status
  },
  prepareCreate(object) {
    const definition = asDefinition(object)
    definition.status = { ...emptyStatus(), storedVersions: storedFrom(definition) }
  },
  prepareUpdate(object, before) {
    const [definition, old] = [asDefinition(object), asDefinition(before)]
    const stored = old.status?.storedVersions ?? []
    const storage = storageVersionOf(definition)?.name
    const isNew = storage !== undefined && !stored.includes(storage)
    definition.status = { ...old.status, storedVersions: isNew ? [...stored, storage] : stored }
  },
  checkCreate: (object) => checkDefinition(asDefinition(object)),
  checkUpdate(object, before) {
    const [definition, old] = [asDefinition(object), asDefinition(before)]
    return [...checkDefinition(definition, old), ...checkDefinitionUpdate(definition, old)]
  },
  warnings(object, old) {
    const known = old ? unknownFormats(asDefinition(old)) : []
    return unknownFormats(asDefinition(object))
      .filter((format) => !known.includes(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`)
  },
  generationOf: (object) => object['spec'],
  /** Held back until its objects are gone. Of its kind alone, a deletion is no new generation and has no grace period. */
  markDeleting(object) {
    const definition = asDefinition(object)
    const { metadata } = definition
    metadata.finalizers = [...(metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer), cleanupFinalizer]
    delete metadata.deletionGracePeriodSeconds
    if (metadata.generation) metadata.generation--
    const now = String(metadata.deletionTimestamp ?? '')
    definition.status = {
      ...definition.status,
      conditions: withCondition(conditionsOf(definition), terminating.pending, now),
    }
  },
}

const emptyStatus = (): DefinitionStatus => ({
  conditions: null,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: [],
})

const storedFrom = (definition: Definition): string[] => {
  const storage = storageVersionOf(definition)
  return storage ? [storage.name] : []
}

/** Formats that are not checked, which their author may not know. */
function unknownFormats({ spec }: Definition): string[] {
  const found = new Set<string>()
  for (const { schema } of spec.versions ?? [])
    if (schema?.openAPIV3Schema)
      for (const { schema: part, role } of nodesOf(schema.openAPIV3Schema, ''))
        if (part.format && role !== 'nested' && !isKnownFormat(part.type, part.format)) found.add(part.format)
  return [...found].sort()
}
