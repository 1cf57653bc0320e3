import type { Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Cells, Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidValue } from './field-errors.ts'
import { labelsCell } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { labelName } from './names.ts'
import { keepStatus, statusPart } from './parts.ts'
import { serviceErrors } from './service-checks.ts'

const specOf = (object: ApiObject): ServiceSpec => as<Service>(object).spec ?? {}

/** Stored, not acted on: no cluster address or node port is allotted, those that a client gives are kept. */
export const services: Definition = {
  rules: {
    answersDeleted: true,
    checkName: labelName,
    createsOnUpdate: true,
    defaults: (object) => {
      const service = as<Service>(object)
      service.spec ??= {}
      defaultSpec(service.spec)
      object['status'] = { ...service.status, loadBalancer: service.status?.loadBalancer ?? {} }
    },
    prepareCreate: (object) => {
      object['status'] = { loadBalancer: {} }
      defaultFamilies(specOf(object))
    },
    prepareUpdate: (object, old) => {
      keepStatus(object, old)
      keepAllotted(specOf(object), specOf(old))
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
  subresources: { status: statusPart({ check: ingressErrors }) },
  cells: cells(),
  selectable: {
    'spec.clusterIP': (object) => specOf(object).clusterIP ?? '',
    'spec.type': (object) => specOf(object).type ?? '',
  },
}

const isOutward = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0)

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
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
  if (spec.clusterIP && !spec.clusterIPs) spec.clusterIPs = [spec.clusterIP]
  if (!spec.clusterIP && spec.clusterIPs?.[0]) spec.clusterIP = spec.clusterIPs[0]
}

function defaultFamilies(spec: ServiceSpec): void {
  if (spec.type === 'ExternalName') return
  // Somebody else finds the endpoints of a headless service without selector, so it may have both.
  const isAny = spec.clusterIP === 'None' && !spec.selector
  spec.ipFamilyPolicy ??= isAny ? 'RequireDualStack' : 'SingleStack'
  spec.ipFamilies ??= isAny ? ['IPv4', 'IPv6'] : [spec.clusterIP?.includes(':') ? 'IPv6' : 'IPv4']
}

/** Clients that know nothing of what was allotted leave it out, and do not mean to give it back. */
function keepAllotted(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return
  if (!spec.clusterIP && old.clusterIP) {
    spec.clusterIP = old.clusterIP
    spec.clusterIPs ??= [...(old.clusterIPs ?? [])]
  }
  if (old.ipFamilies) spec.ipFamilies ??= [...old.ipFamilies]
  if (old.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.ipFamilyPolicy
  if (spec.type === 'ClusterIP') return
  for (const port of spec.ports ?? []) {
    const same = old.ports?.find((other) => other.port === port.port && other.protocol === port.protocol)
    if (same?.nodePort) port.nodePort ??= same.nodePort
  }
}

function addressUpdateErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []]
  if (before[0] === undefined || now[0] === before[0]) return []
  return [invalidValue('spec.clusterIPs[0]', now, 'may not change once set')]
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
  if (type === 'ExternalName') return externalName
  if (type !== 'LoadBalancer') return externalIPs.join(',') || '<none>'
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname).filter(Boolean)
  return [...[...new Set(ingress)].sort(), ...externalIPs].join(',') || '<pending>'
}
