import { isDeepStrictEqual } from 'node:util'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { timeText } from '../time-text.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, immutable, invalidValue, required } from './field-errors.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { dnsLabelFlaws } from './names.ts'
import { keepStatus, statusPart } from './parts.ts'
import { podSpecErrors } from './pod-checks.ts'
import { podCells, podRowConditions } from './pod-columns.ts'
import { completePodStatus, defaultPod, qosClassOf } from './pod-defaults.ts'
import { podSpecWarnings } from './pod-warnings.ts'

const specOf = (object: ApiObject): PodSpec => as<Pod>(object).spec ?? { containers: [] }
const statusOf = (object: ApiObject) => as<Pod>(object).status

const gated = (now: Date) => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: timeText(now),
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
})

/** Stored, never run: there is no scheduler and no kubelet. */
export const pods: Definition = {
  rules: {
    updateChecks: ['update', 'whole', 'check', 'checkUpdate'],
    answersDeleted: true,
    graceSeconds,
    generationOf: ({ spec }) => spec,
    defaults: (object) => {
      const pod = as<Pod>(object)
      defaultPod(pod)
      object['status'] ??= {}
      completePodStatus(pod.status ?? {})
    },
    prepareCreate: (object, { now }) => {
      const isGated = (specOf(object).schedulingGates ?? []).length > 0
      object['status'] = {
        phase: 'Pending',
        ...(isGated && { conditions: [gated(now)] }),
        qosClass: qosClassOf(specOf(object)),
      }
    },
    prepareUpdate: keepStatus,
    check: (object) => {
      const { containers, initContainers = [] } = specOf(object)
      return [
        ...checkStandardFinalizers(object.metadata.finalizers),
        ...podSpecErrors(specOf(object), 'spec'),
        ...imageErrors(containers, 'spec.containers'),
        ...imageErrors(initContainers, 'spec.initContainers'),
      ]
    },
    checkCreate: (object) => {
      const { ephemeralContainers, nodeName, schedulingGates } = specOf(object)
      const errors: FieldError[] = []
      if (ephemeralContainers?.length)
        errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'))
      if (nodeName && schedulingGates?.length)
        errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
      return errors
    },
    checkUpdate: (object, old) => updateErrors(specOf(object), specOf(old)),
    warnings: (object, old) => {
      if (old) return []
      const { name = '' } = object.metadata
      return [
        ...hostnameWarnings(name, "this is used in the Pod's hostname"),
        ...podSpecWarnings(specOf(object), 'spec'),
      ]
    },
  },
  subresources: {
    status: statusPart({
      prepare: (object, old) => {
        const pod = as<Pod>(object)
        const { ownerReferences } = old.metadata
        if (ownerReferences) pod.metadata.ownerReferences = ownerReferences
        else delete pod.metadata.ownerReferences
        const qosClass = pod.status?.qosClass ?? statusOf(old)?.qosClass
        object['status'] = { ...pod.status, ...(qosClass && { qosClass }) }
      },
      check: (object, old) => {
        const [qosClass, before] = [statusOf(object)?.qosClass, statusOf(old)?.qosClass]
        return qosClass === before ? [] : [invalidValue('status.qosClass', qosClass, immutable)]
      },
    }),
  },
  cells: podCells,
  rowConditions: podRowConditions,
  selectable: {
    'spec.nodeName': (object) => specOf(object).nodeName ?? '',
    'spec.restartPolicy': (object) => specOf(object).restartPolicy ?? '',
    'spec.schedulerName': (object) => specOf(object).schedulerName ?? '',
    'spec.serviceAccountName': (object) => specOf(object).serviceAccountName ?? '',
    'spec.hostNetwork': (object) => `${specOf(object).hostNetwork ?? false}`,
    'status.phase': (object) => statusOf(object)?.phase ?? '',
    'status.podIP': (object) => statusOf(object)?.podIPs?.[0]?.ip ?? '',
    'status.podIPs': (object) => statusOf(object)?.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': (object) => statusOf(object)?.nominatedNodeName ?? '',
  },
}

const imageErrors = (containers: PodSpec['containers'], field: string): FieldError[] =>
  containers.flatMap(({ image = '' }, index) =>
    image.trim() === image
      ? []
      : [invalidValue(`${field}[${index}].image`, image, 'must not have leading or trailing whitespace')],
  )

/** Workloads warn of it as well: their name is where the names of their pods come from. */
export const hostnameWarnings = (name: string, why: string): string[] => {
  const flaws = dnsLabelFlaws(name)
  return flaws.length === 0
    ? []
    : [
        `metadata.name: ${why}, which can result in surprising behavior; a DNS label is recommended: [${flaws.join(' ')}]`,
      ]
}

const mayChange =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function updateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  if (isDeepStrictEqual(spec, old)) return []
  const errors: FieldError[] = []
  for (const list of ['containers', 'initContainers'] as const) {
    const field = `spec.${list}`
    const containers = spec[list] ?? []
    if (containers.length !== (old[list] ?? []).length)
      return [...errors, forbiddenField(field, 'pod updates may not add or remove containers')]
    errors.push(
      ...containers.flatMap(({ image }, index) => (image ? [] : [required(`${field}[${index}].image`)])),
      ...imageErrors(containers, field),
    )
  }
  const [deadline, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds]
  if (deadline !== undefined && before !== undefined && before < deadline)
    return [
      ...errors,
      invalidValue('spec.activeDeadlineSeconds', deadline, 'must be less than or equal to previous value'),
    ]
  if (deadline === undefined && before !== undefined)
    errors.push(
      invalidValue('spec.activeDeadlineSeconds', null, 'must not update from a positive integer to nil value'),
    )
  if ((old.tolerations ?? []).some((toleration) => !isKept(toleration, spec.tolerations ?? [])))
    errors.push(
      forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    )
  if (!isDeepStrictEqual(fixedPart(spec), fixedPart(old)))
    errors.push(forbiddenField('spec', `pod updates may not change fields other than ${mayChange}`))
  return errors
}

type Tolerations = NonNullable<PodSpec['tolerations']>

const isKept = ({ tolerationSeconds: _, ...toleration }: Tolerations[number], now: Tolerations): boolean =>
  now.some(({ tolerationSeconds: _, ...other }) => isDeepStrictEqual(other, toleration))

function fixedPart(spec: PodSpec): unknown {
  const { containers, initContainers = [], activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = spec
  const withoutImages = (list: PodSpec['containers']) => list.map(({ image: _, ...container }) => container)
  return { ...rest, containers: withoutImages(containers), initContainers: withoutImages(initContainers) }
}

/** A pod that no node knows of, or that is over, has nobody to wind it down. */
function graceSeconds(object: ApiObject, asked: number | undefined): number {
  const { spec, status } = as<Pod>(object)
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0
  return asked ?? spec.terminationGracePeriodSeconds ?? 30
}
