import { isDeepStrictEqual } from 'node:util'
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { invalidValue, mustNotBeNegative, notSupported, required } from './field-errors.ts'
import { labelsCell, selectorCell } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { keepStatus, statusPart } from './parts.ts'
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
  templateWarnings,
} from './workload.ts'
import {
  amountOf,
  daemonTemplateErrors,
  intOrPercentErrors,
  moreThanAllErrors,
  replicaStatusErrors,
} from './workload-checks.ts'

const templateGeneration = 'deprecated.daemonset.template.generation'
const daemonCounts = ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady']
const noDaemons = Object.fromEntries(daemonCounts.map((name) => [name, 0]))

export const daemonSets: Definition = {
  rules: {
    updateChecks: ['update', 'checkUpdate', 'check'],
    generationOf: ({ spec }) => spec,
    defaults: (object) => {
      defaultTemplate(object)
      const spec = as<Required<Pick<DaemonSet, 'spec'>>>(object).spec
      spec.updateStrategy ??= {}
      spec.updateStrategy.type ||= 'RollingUpdate'
      if (spec.updateStrategy.type === 'RollingUpdate')
        spec.updateStrategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...spec.updateStrategy.rollingUpdate }
      spec.revisionHistoryLimit ??= 10
      setTemplateGeneration(object, templateGenerationOf(object))
      object['status'] = { ...noDaemons, ...completeConditions(statusOf(object), ['lastTransitionTime']) }
    },
    prepareCreate: (object) => {
      object['status'] = { ...noDaemons }
      setTemplateGeneration(object, Math.max(1, templateGenerationOf(object)))
    },
    prepareUpdate: (object, old) => {
      keepStatus(object, old)
      const isSame = isDeepStrictEqual(specOf(object).template, specOf(old).template)
      setTemplateGeneration(object, templateGenerationOf(old) + (isSame ? 0 : 1))
    },
    check: (object) => {
      const { metadata, spec } = as<DaemonSet>(object)
      const { selector, template, updateStrategy, minReadySeconds, revisionHistoryLimit } = spec ?? {}
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...daemonTemplateErrors({ selector, template }),
        ...mustNotBeNegative('spec.minReadySeconds', minReadySeconds),
        ...daemonStrategyErrors(updateStrategy ?? {}),
        ...mustNotBeNegative('spec.revisionHistoryLimit', revisionHistoryLimit),
      ]
    },
    checkUpdate: selectorIsFixed,
    warnings: (object, old) =>
      old && templateGenerationOf(old) === templateGenerationOf(object) ? [] : templateWarnings(object),
  },
  subresources: {
    status: statusPart({
      check: (object, old) => [
        ...replicaStatusErrors(
          statusOf(object),
          [
            ...daemonCounts,
            'observedGeneration',
            'updatedNumberScheduled',
            'numberAvailable',
            'numberUnavailable',
            'collisionCount',
          ],
          [],
        ),
        ...collisionErrors(object, old),
      ],
    }),
  },
  cells: {
    ...podCells(selectorCell),
    Desired: (object) => number(statusOf(object)['desiredNumberScheduled']),
    Current: (object) => number(statusOf(object)['currentNumberScheduled']),
    Ready: (object) => number(statusOf(object)['numberReady']),
    'Up-to-date': (object) => number(statusOf(object)['updatedNumberScheduled']),
    Available: (object) => number(statusOf(object)['numberAvailable']),
    'Node Selector': (object) => labelsCell(specOf(object).template?.spec?.nodeSelector),
  },
}

type Strategy = NonNullable<NonNullable<DaemonSet['spec']>['updateStrategy']>

function daemonStrategyErrors({ type = '', rollingUpdate }: Strategy): FieldError[] {
  if (type === 'OnDelete') return []
  // Printed with the names of the API server's own fields.
  if (type !== 'RollingUpdate')
    return [
      notSupported('spec.updateStrategy', { Type: type, RollingUpdate: printedUpdate(rollingUpdate) }, [
        'RollingUpdate',
        'OnDelete',
      ]),
    ]
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {}
  const [unavailable, surge] = ['maxUnavailable', 'maxSurge'].map(
    (name) => `spec.updateStrategy.rollingUpdate.${name}`,
  ) as [string, string]
  const errors = [
    ...intOrPercentErrors(unavailable, maxUnavailable),
    ...intOrPercentErrors(surge, maxSurge),
    ...moreThanAllErrors(unavailable, maxUnavailable),
    ...moreThanAllErrors(surge, maxSurge),
  ]
  const [hasUnavailable, hasSurge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0]
  if (hasUnavailable && hasSurge)
    errors.push(invalidValue(surge, maxSurge, 'may not be set when maxUnavailable is non-zero'))
  if (!hasUnavailable && !hasSurge) errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'))
  return errors
}

const templateGenerationOf = ({ metadata }: ApiObject): number =>
  Number.parseInt(metadata.annotations?.[templateGeneration] ?? '0', 10) || 0

function setTemplateGeneration({ metadata }: ApiObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: `${generation}` }
}
