import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import { mustNotBeNegative } from './field-errors.ts'
import { selectorCell } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { serverStatus, statusPart } from './parts.ts'
import { scale } from './scale.ts'
import {
  completeConditions,
  defaultTemplate,
  number,
  podCells,
  selectorIsFixed,
  specOf,
  statusOf,
  workloadWarnings,
} from './workload.ts'
import { replicaStatusErrors, selectedTemplateErrors } from './workload-checks.ts'

export const replicaSets: Definition = {
  rules: {
    ...serverStatus(() => ({ replicas: 0 })),
    generationOf: ({ spec }) => spec,
    defaults: (object) => {
      defaultTemplate(object)
      specOf(object).replicas ??= 1
      object['status'] = { replicas: 0, ...completeConditions(statusOf(object), ['lastTransitionTime']) }
    },
    check: (object) => {
      const { metadata, spec } = as<ReplicaSet>(object)
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...mustNotBeNegative('spec.replicas', spec?.replicas),
        ...mustNotBeNegative('spec.minReadySeconds', spec?.minReadySeconds),
        ...selectedTemplateErrors({ selector: spec?.selector, template: spec?.template }),
      ]
    },
    checkUpdate: selectorIsFixed,
    warnings: workloadWarnings,
  },
  subresources: {
    status: statusPart({
      check: (object) =>
        replicaStatusErrors(
          statusOf(object),
          [
            'replicas',
            'fullyLabeledReplicas',
            'readyReplicas',
            'availableReplicas',
            'observedGeneration',
            'terminatingReplicas',
          ],
          ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
        ),
    }),
    scale: scale(),
  },
  cells: {
    ...podCells(selectorCell),
    Desired: (object) => specOf(object).replicas ?? 0,
    Current: (object) => number(statusOf(object)['replicas']),
    Ready: (object) => number(statusOf(object)['readyReplicas']),
  },
}
