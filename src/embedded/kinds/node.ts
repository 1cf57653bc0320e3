import { isDeepStrictEqual } from 'node:util'
import type { Node, Taint } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Cells, Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, forbiddenField, invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { labelValueFlaws, qualifiedNameFlaws } from './names.ts'
import { keepStatus, statusPart } from './parts.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export const nodes: Definition = {
  rules: {
    updateChecks: ['whole', 'check', 'update', 'checkUpdate'],
    defaults: (object) => {
      const node = as<Node>(object)
      node.spec ??= {}
      const { podCIDR, podCIDRs } = node.spec
      if (podCIDR && !podCIDRs) node.spec.podCIDRs = [podCIDR]
      if (!podCIDR && podCIDRs?.[0]) node.spec.podCIDR = podCIDRs[0]
      object['status'] = completeStatus(node.status)
    },
    prepareUpdate: keepStatus,
    check: (object) => {
      const { metadata, spec } = as<Node>(object)
      return [...checkStandardFinalizers(metadata.finalizers), ...taintErrors(spec?.taints ?? [])]
    },
    checkUpdate: nodeUpdateErrors,
    warnings: (object) =>
      as<Node>(object).spec?.externalID
        ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
        : [],
  },
  subresources: { status: statusPart({ check: addressErrors }) },
  cells: cells(),
  selectable: { 'spec.unschedulable': (object) => `${as<Node>(object).spec?.unschedulable ?? false}` },
}

const infoFields = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
]

/** What is always shown, set or not. What can be allotted is, unless said otherwise, what there is. */
function completeStatus(status: Node['status'] = {}): unknown {
  const { capacity, allocatable = capacity, conditions, daemonEndpoints, nodeInfo } = status
  return {
    ...status,
    ...(allocatable && { allocatable }),
    ...(conditions && {
      conditions: conditions.map((condition) => ({ lastHeartbeatTime: null, lastTransitionTime: null, ...condition })),
    }),
    daemonEndpoints: { kubeletEndpoint: { Port: 0, ...daemonEndpoints?.kubeletEndpoint } },
    nodeInfo: { ...Object.fromEntries(infoFields.map((field) => [field, ''])), ...nodeInfo },
  }
}

// The API server looks for taints below metadata when it names them, although they are in spec.
function taintErrors(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const { key = '', value = '', effect = '' } = taint
    const field = `metadata.taints[${index}]`
    const errors = invalidFor(`${field}.key`, key, qualifiedNameFlaws(key))
    const valueFlaws = labelValueFlaws(value)
    if (valueFlaws.length > 0) errors.push(invalidValue(`${field}.value`, value, valueFlaws.join(';')))
    if (effect === '') errors.push(required(`${field}.effect`))
    else if (!effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects))
    const identity = `${effect} ${key}`
    // Printed with the names of the API server's own fields.
    const printed = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null }
    if (seen.has(identity)) errors.push(duplicateValue(field, printed, 'taints must be unique by key and effect pair'))
    seen.add(identity)
    return errors
  })
}

function nodeUpdateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const [spec, before] = [as<Node>(object).spec ?? {}, as<Node>(old).spec ?? {}]
  const errors: FieldError[] = []
  if (before.podCIDRs?.length && !isDeepStrictEqual(spec.podCIDRs, before.podCIDRs))
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'))
  if (before.providerID && spec.providerID !== before.providerID)
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  if ((spec.externalID ?? '') !== (before.externalID ?? ''))
    errors.push(forbiddenField('spec.externalID', 'may not be updated'))
  errors.push(...taintErrors(spec.taints ?? []))
  return errors
}

function addressErrors(object: ApiObject): FieldError[] {
  const seen = new Set<string>()
  return (as<Node>(object).status?.addresses ?? []).flatMap(({ type, address }, index) => {
    const isKnown = seen.has(`${type} ${address}`)
    seen.add(`${type} ${address}`)
    // Printed with the names of the API server's own fields.
    return isKnown ? [duplicateValue(`status.addresses[${index}]`, { Type: type, Address: address })] : []
  })
}

function cells(): Cells {
  const info = (object: ApiObject, field: 'osImage' | 'containerRuntimeVersion') =>
    as<Node>(object).status?.nodeInfo?.[field] || '<unknown>'
  const address = (object: ApiObject, wanted: string) =>
    as<Node>(object).status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'
  return {
    Status: (object) => {
      const { spec, status } = as<Node>(object)
      const ready = status?.conditions?.findLast(({ type }) => type === 'Ready')
      const told = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'
      return spec?.unschedulable ? `${told},SchedulingDisabled` : told
    },
    Roles: ({ metadata }) => rolesOf(metadata.labels ?? {}).join(',') || '<none>',
    Version: (object) => as<Node>(object).status?.nodeInfo?.kubeletVersion ?? '',
    'Internal-IP': (object) => address(object, 'InternalIP'),
    'External-IP': (object) => address(object, 'ExternalIP'),
    'OS-Image': (object) => info(object, 'osImage'),
    'Kernel-Version': (object) => {
      const { kernelVersion, architecture } = as<Node>(object).status?.nodeInfo ?? {}
      return `${kernelVersion || '<unknown>'}${architecture ? ` (${architecture})` : ''}`
    },
    'Container-Runtime': (object) => info(object, 'containerRuntimeVersion'),
  }
}

const rolePrefix = 'node-role.kubernetes.io/'

function rolesOf(labels: Readonly<Record<string, string>>): string[] {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  return [...new Set(roles.filter(Boolean))].sort()
}
