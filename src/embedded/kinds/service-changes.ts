import { isDeepStrictEqual } from 'node:util'
import type { Service, ServicePort, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { FieldError } from './field-errors.ts'
import { invalidValue } from './field-errors.ts'

export const isOutward = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0)

const isOnNodes = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer'

const isAllottedNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

const isHealthChecked = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local'

const nodePortsOf = ({ ports = [] }: ServiceSpec): Set<number> =>
  new Set(ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])))

/** Clients that know nothing of what was allotted leave it out, and do not mean to give it back. */
export function keepAllotted(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs]
  }
  if (isAllottedNodePorts(spec) && isAllottedNodePorts(old)) keepNodePorts(spec, old)
  if (isHealthChecked(spec) && isHealthChecked(old) && !spec.healthCheckNodePort && old.healthCheckNodePort)
    spec.healthCheckNodePort = old.healthCheckNodePort
}

/** By the name of the port: all else may have changed. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const used = nodePortsOf(old).intersection(nodePortsOf(spec))
  const nameOf = ({ name = '' }: ServicePort) => name
  const before = new Map((old.ports ?? []).map((port) => [nameOf(port), port.nodePort]))
  for (const port of spec.ports ?? []) {
    const nodePort = before.get(nameOf(port))
    if (!port.nodePort && nodePort && !used.has(nodePort)) port.nodePort = nodePort
  }
}

/** A service that becomes one of another type loses what only the old type has, unless a client changed that too. */
export function dropUnfit(service: Service, old: ServiceSpec): void {
  const { spec = {} } = service
  if (spec.type === 'ExternalName' && old.type !== 'ExternalName') dropAddresses(spec, old)
  if (isOnNodes(old) && !isOnNodes(spec) && nodePortsOf(spec).isSubsetOf(nodePortsOf(old)))
    for (const port of spec.ports ?? []) delete port.nodePort
  if (isHealthChecked(old) && !isHealthChecked(spec)) dropSame(spec, old, 'healthCheckNodePort')
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropSame(spec, old, 'allocateLoadBalancerNodePorts')
    dropSame(spec, old, 'loadBalancerClass')
  }
  if (isOutward(old) && !isOutward(spec)) dropSame(spec, old, 'externalTrafficPolicy')
  if (spec.type !== 'LoadBalancer') Object.assign(service, { status: { ...service.status, loadBalancer: {} } })
}

function dropAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.clusterIP === old.clusterIP && isDeepStrictEqual(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP
    delete spec.clusterIPs
  }
  dropSame(spec, old, 'ipFamilies')
  dropSame(spec, old, 'ipFamilyPolicy')
}

function dropSame(spec: ServiceSpec, old: ServiceSpec, field: keyof ServiceSpec): void {
  if (isDeepStrictEqual(spec[field], old[field])) delete spec[field]
}

/** Nothing is allotted here, so that a first address may come at any time. */
export function addressUpdateErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []]
  const isPrimaryOnly = now.length !== before.length
  return before.flatMap((ip, index) =>
    now[index] === ip || (isPrimaryOnly && index > 0)
      ? []
      : [invalidValue(`spec.clusterIPs[${index}]`, now, 'may not change once set')],
  )
}
