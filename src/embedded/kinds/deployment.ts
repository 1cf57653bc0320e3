import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidValue, mustNotBeNegative, notSupported } from './field-errors.ts'
import { selectorText } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { serverStatus, statusPart } from './parts.ts'
import { scale } from './scale.ts'
import {
  collisionErrors,
  completeConditions,
  defaultTemplate,
  number,
  podCells,
  printedUpdate,
  selectorIsFixed,
  specOf,
  statusOf,
  workloadWarnings,
} from './workload.ts'
import {
  amountOf,
  intOrPercentErrors,
  moreThanAllErrors,
  replicaStatusErrors,
  selectedTemplateErrors,
} from './workload-checks.ts'

export const deployments: Definition = {
  rules: {
    ...serverStatus(),
    // Annotations too: they are copied to the replica sets.
    generationOf: ({ spec, metadata }) => [spec, metadata.annotations],
    defaults: (object) => {
      defaultTemplate(object)
      const spec = as<Required<Pick<Deployment, 'spec'>>>(object).spec
      spec.replicas ??= 1
      spec.strategy ??= {}
      spec.strategy.type ||= 'RollingUpdate'
      if (spec.strategy.type === 'RollingUpdate')
        spec.strategy.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...spec.strategy.rollingUpdate }
      spec.revisionHistoryLimit ??= 10
      spec.progressDeadlineSeconds ??= 600
      object['status'] = completeConditions(statusOf(object), ['lastUpdateTime', 'lastTransitionTime'])
    },
    check: (object) => {
      const { metadata, spec } = as<Deployment>(object)
      if (!spec) return []
      const { replicas, selector, template, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...mustNotBeNegative('spec.replicas', replicas),
        ...selectedTemplateErrors({ selector, template }),
        ...strategyErrors(spec.strategy ?? {}),
        ...mustNotBeNegative('spec.minReadySeconds', minReadySeconds),
        ...mustNotBeNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
        ...mustNotBeNegative('spec.progressDeadlineSeconds', deadline),
        ...(deadline !== undefined && deadline <= minReadySeconds
          ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
          : []),
      ]
    },
    checkUpdate: selectorIsFixed,
    warnings: workloadWarnings,
  },
  subresources: {
    status: statusPart({
      prepare: ({ metadata }, old) => {
        if (old.metadata.labels) metadata.labels = old.metadata.labels
        else delete metadata.labels
      },
      check: (object, old) => [
        ...replicaStatusErrors(
          statusOf(object),
          [
            'observedGeneration',
            'replicas',
            'updatedReplicas',
            'readyReplicas',
            'availableReplicas',
            'unavailableReplicas',
            'terminatingReplicas',
            'collisionCount',
          ],
          ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
        ),
        ...collisionErrors(object, old),
      ],
    }),
    scale: scale(),
  },
  cells: {
    ...podCells(selectorText),
    Ready: (object) => `${number(statusOf(object)['readyReplicas'])}/${specOf(object).replicas ?? 0}`,
    'Up-to-date': (object) => number(statusOf(object)['updatedReplicas']),
    Available: (object) => number(statusOf(object)['availableReplicas']),
  },
}

function strategyErrors(strategy: NonNullable<NonNullable<Deployment['spec']>['strategy']>): FieldError[] {
  const { type = '', rollingUpdate } = strategy
  if (type === 'Recreate')
    return rollingUpdate
      ? [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
      : []
  // Printed with the names of the API server's own fields.
  if (type !== 'RollingUpdate')
    return [
      notSupported('spec.strategy', { Type: type, RollingUpdate: printedUpdate(rollingUpdate) }, [
        'Recreate',
        'RollingUpdate',
      ]),
    ]
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {}
  const field = 'spec.strategy.rollingUpdate'
  return [
    ...intOrPercentErrors(`${field}.maxUnavailable`, maxUnavailable),
    ...intOrPercentErrors(`${field}.maxSurge`, maxSurge),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalidValue(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...moreThanAllErrors(`${field}.maxUnavailable`, maxUnavailable),
  ]
}
