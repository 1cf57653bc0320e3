import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { invalidFor, invalidValue } from './field-errors.ts'
import type { Part } from './kind.ts'
import { checkStandardFinalizer, checkStandardFinalizers } from './metadata.ts'
import { labelName, qualifiedNameFlaws } from './names.ts'
import { keepStatus, statusPart } from './parts.ts'

const nameLabel = 'kubernetes.io/metadata.name'

export const namespaces: Definition = {
  rules: {
    updateChecks: ['whole', 'check', 'update', 'checkUpdate'],
    checkName: labelName,
    defaults: (object) => {
      labelWithName(object)
      for (const condition of as<Namespace>(object).status?.conditions ?? [])
        Object.assign(condition, { lastTransitionTime: condition.lastTransitionTime ?? null })
    },
    prepareCreate: (object) => {
      // A generated name that cannot be one is told once, not as a label again.
      if (labelName(object.metadata.name ?? '', false).length === 0) labelWithName(object)
      const namespace = as<Namespace>(object)
      const finalizers = namespace.spec?.finalizers ?? []
      namespace.spec = {
        ...namespace.spec,
        finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
      }
      namespace.status = { phase: 'Active' }
    },
    prepareUpdate: (object, old) => {
      const finalizers = finalizersOf(old)
      object['spec'] = finalizers.length > 0 ? { finalizers } : {}
      keepStatus(object, old)
    },
    check: (object) => [
      ...checkStandardFinalizers(object.metadata.finalizers),
      ...finalizersOf(object).flatMap((finalizer) => finalizerErrors(finalizer, 'spec.finalizers')),
    ],
    finalizersOf,
    answersDeleted: true,
    markDeleting: (object) => {
      object['status'] = { ...as<Namespace>(object).status, phase: 'Terminating' }
      delete object.metadata.deletionGracePeriodSeconds
    },
  },
  subresources: {
    status: statusPart({ check: phaseErrors }),
    finalize: finalize(),
  },
  cells: { Status: (object) => as<Namespace>(object).status?.phase ?? '' },
  selectable: { 'status.phase': (object) => as<Namespace>(object).status?.phase ?? '' },
}

function finalizersOf(object: ApiObject): readonly string[] {
  return as<Namespace>(object).spec?.finalizers ?? []
}

function labelWithName({ metadata }: ApiObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name }
}

const finalizerErrors = (finalizer: string, field: string): FieldError[] => [
  ...invalidFor(field, finalizer, qualifiedNameFlaws(finalizer)),
  ...checkStandardFinalizer(finalizer, field),
]

function phaseErrors(object: ApiObject): FieldError[] {
  const { metadata, status } = as<Namespace>(object)
  const [phase, is] = metadata.deletionTimestamp ? ['Terminating', 'is not'] : ['Active', 'is']
  return status?.phase === phase
    ? []
    : [invalidValue('status.Phase', status?.phase ?? '', `may only be '${phase}' if \`deletionTimestamp\` ${is} empty`)]
}

/** Where those who hold a namespace back let go of it. */
function finalize(): Part {
  return {
    type: 'part',
    verbs: ['update'],
    merge: (submitted, old) => {
      const merged: ApiObject = { ...submitted, spec: submitted['spec'] ?? {} }
      keepStatus(merged, old)
      return merged
    },
    check: (object) =>
      finalizersOf(object).flatMap((finalizer, index) => finalizerErrors(finalizer, `spec.finalizers[${index}]`)),
  }
}
