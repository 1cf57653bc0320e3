import type { Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Cells, Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField } from './field-errors.ts'
import { labelsCell } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { labelName } from './names.ts'
import { keepStatus, statusPart } from './parts.ts'
import { settleAddresses } from './service-addresses.ts'
import { addressUpdateErrors, dropUnfit, isOutward, keepAllotted } from './service-changes.ts'
import { serviceErrors } from './service-checks.ts'

const specOf = (object: ApiObject): ServiceSpec => as<Service>(object).spec ?? {}

/** Stored, not acted on: no cluster address or node port is allotted, those that a client gives are kept. */
export const services: Definition = {
  rules: {
    updateChecks: ['update', 'checkUpdate', 'check'],
    answersDeleted: true,
    checkName: labelName,
    createsOnUpdate: true,
    defaults: (object) => {
      const service = as<Service>(object)
      service.spec ??= {}
      defaultSpec(service.spec)
      object['status'] = { ...service.status, loadBalancer: service.status?.loadBalancer ?? {} }
    },
    settle: (object, old) => {
      if (old) keepAllotted(specOf(object), specOf(old))
      return settleAddresses(specOf(object), old && specOf(old))
    },
    prepareCreate: (object) => {
      object['status'] = { loadBalancer: {} }
      hideUnfit(specOf(object))
    },
    prepareUpdate: (object, old) => {
      keepStatus(object, old)
      dropUnfit(as<Service>(object), specOf(old))
      hideUnfit(specOf(object))
    },
    check: (object) => [...checkStandardFinalizers(object.metadata.finalizers), ...serviceErrors(specOf(object))],
    checkUpdate: (object, old) => addressUpdateErrors(specOf(object), specOf(old)),
    warnings: (object) => {
      const { clusterIP, sessionAffinity } = specOf(object)
      return clusterIP === 'None' && sessionAffinity === 'ClientIP'
        ? ['spec.SessionAffinity is ignored for headless services']
        : []
    },
  },
  subresources: { status: { ...statusPart({ check: ingressErrors }), createsMissing: true } },
  cells: cells(),
  selectable: {
    'spec.clusterIP': (object) => specOf(object).clusterIP ?? '',
    'spec.type': (object) => specOf(object).type ?? '',
  },
}

const clusterTypes = ['ClusterIP', 'LoadBalancer', 'NodePort']
const threeHoursSeconds = 10_800

function defaultSpec(spec: ServiceSpec): void {
  spec.type ||= 'ClusterIP'
  spec.sessionAffinity ||= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: threeHoursSeconds } }
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP'
    port.targetPort ||= port.port
  }
  if (isOutward(spec)) spec.externalTrafficPolicy ||= 'Cluster'
  if (clusterTypes.includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/** It was once filled in for all, which the real server hides again. */
function hideUnfit(spec: ServiceSpec): void {
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy
}

function ingressErrors(object: ApiObject): FieldError[] {
  const { status } = as<Service>(object)
  return specOf(object).type !== 'LoadBalancer' && status?.loadBalancer?.ingress?.length
    ? [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
    : []
}

function cells(): Cells {
  return {
    Type: (object) => specOf(object).type ?? '',
    'Cluster-IP': (object) => specOf(object).clusterIPs?.[0] ?? '<none>',
    'External-IP': (object) => externalAddress(as<Service>(object)),
    'Port(s)': (object) =>
      (specOf(object).ports ?? [])
        .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`)
        .join(',') || '<none>',
    Selector: (object) => labelsCell(specOf(object).selector),
  }
}

function externalAddress({ spec = {}, status }: Service): string {
  const { type, externalName = '', externalIPs = [] } = spec
  if (type === undefined) return '<unknown>'
  if (type === 'ExternalName') return externalName
  if (type !== 'LoadBalancer') return externalIPs.join(',') || '<none>'
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname).filter(Boolean)
  return [...[...new Set(ingress)].sort(), ...externalIPs].join(',') || '<pending>'
}
