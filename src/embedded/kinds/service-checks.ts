import type { ServicePort, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { protocols } from './container-checks.ts'
import { endpointIpErrors, ipErrors } from './endpoints.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, forbiddenField, invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import { checkLabels } from './label-selector.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws, portFlaws, portNameFlaws } from './names.ts'
import { clusterAddressErrors } from './service-addresses.ts'
import { isOutward } from './service-changes.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const affinities = ['ClientIP', 'None']
const trafficPolicies = ['Cluster', 'Local']

const isHeadless = ({ clusterIPs }: ServiceSpec): boolean => clusterIPs?.[0] === 'None'

export function serviceErrors(spec: ServiceSpec): FieldError[] {
  const { type = '', ports = [], sessionAffinity = '' } = spec
  const errors: FieldError[] = []
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'))
  if (type === 'ExternalName') errors.push(...externalNameErrors(spec))
  else if (isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort'))
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`))
  errors.push(...portsErrors(ports))
  errors.push(...checkLabels(spec.selector ?? {}, 'spec.selector'))
  if (!affinities.includes(sessionAffinity))
    errors.push(notSupported('spec.sessionAffinity', sessionAffinity, affinities))
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (timeout !== undefined && (timeout <= 0 || timeout > 86_400))
    errors.push(
      invalidValue(
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
        timeout,
        'must be greater than 0 and less than 86400',
      ),
    )
  errors.push(...clusterAddressErrors(spec))
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const flaws = ipErrors(ip, `spec.externalIPs[${index}]`)
    errors.push(...(flaws.length > 0 ? flaws : endpointIpErrors(ip, `spec.externalIPs[${index}]`)))
  }
  if (!types.includes(type)) errors.push(notSupported('spec.type', type, types))
  if (type === 'ClusterIP') {
    for (const [index, { nodePort }] of ports.entries())
      if (nodePort)
        errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
  }
  errors.push(...repeatedPorts(ports), ...loadBalancerErrors(spec), ...trafficErrors(spec))
  return errors
}

function externalNameErrors({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' }: ServiceSpec) {
  const set = [
    ['clusterIPs', clusterIPs.length > 0],
    ['ipFamilies', ipFamilies.length > 0],
    ['ipFamilyPolicy', ipFamilyPolicy !== undefined],
  ] as const
  const name = externalName.replace(/\.$/, '')
  return [
    ...set
      .filter(([, isSet]) => isSet)
      .map(([field]) => forbiddenField(`spec.${field}`, 'may not be set for ExternalName services')),
    ...(name === '' ? [required('spec.externalName')] : invalidFor('spec.externalName', name, dnsSubdomainFlaws(name))),
  ]
}

function portsErrors(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', port = 0, protocol = '', targetPort = 0 }, index) => {
    const field = `spec.ports[${index}]`
    const errors: FieldError[] = []
    if (name !== '') {
      errors.push(...invalidFor(`${field}.name`, name, dnsLabelFlaws(name)))
      if (names.has(name)) errors.push(duplicateValue(`${field}.name`, name))
      names.add(name)
    } else if (ports.length > 1) errors.push(required(`${field}.name`))
    errors.push(...invalidFor(`${field}.port`, port, portFlaws(port)))
    if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols))
    const targetFlaws = typeof targetPort === 'number' ? portFlaws(targetPort) : portNameFlaws(targetPort)
    errors.push(...invalidFor(`${field}.targetPort`, targetPort, targetFlaws))
    return errors
  })
}

/** The API server prints a repeated port with the names of its own fields, and all of them. */
const printedPort = (protocol: string | undefined, port: number) => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
})

function repeatedPorts(ports: readonly ServicePort[]): FieldError[] {
  const [nodePorts, all] = [new Set<string>(), new Set<string>()]
  const repeatedNodePorts = ports.flatMap(({ nodePort, protocol }, index) => {
    if (!nodePort) return []
    const isKnown = nodePorts.has(`${protocol} ${nodePort}`)
    nodePorts.add(`${protocol} ${nodePort}`)
    return isKnown ? [duplicateValue(`spec.ports[${index}].nodePort`, nodePort)] : []
  })
  const repeated = ports.flatMap(({ port, protocol }, index) => {
    const isKnown = all.has(`${protocol} ${port}`)
    all.add(`${protocol} ${port}`)
    return isKnown ? [duplicateValue(`spec.ports[${index}]`, printedPort(protocol, port))] : []
  })
  return [...repeatedNodePorts, ...repeated]
}

const onlyForLoadBalancers = "may only be used when `type` is 'LoadBalancer'"

function loadBalancerErrors(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'LoadBalancer') return []
  const errors: FieldError[] = []
  if (spec.loadBalancerSourceRanges?.length)
    errors.push(forbiddenField('spec.LoadBalancerSourceRanges', onlyForLoadBalancers))
  if (spec.allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbiddenField('spec.allocateLoadBalancerNodePorts', onlyForLoadBalancers))
  if (spec.loadBalancerClass !== undefined) errors.push(forbiddenField('spec.loadBalancerClass', onlyForLoadBalancers))
  return errors
}

function trafficErrors(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: outer = '', internalTrafficPolicy: inner } = spec
  const errors: FieldError[] = []
  if (!isOutward(spec) && outer !== '')
    errors.push(invalidValue('spec.externalTrafficPolicy', outer, 'may only be set for externally-accessible services'))
  if (isOutward(spec) && !trafficPolicies.includes(outer))
    errors.push(notSupported('spec.externalTrafficPolicy', outer, trafficPolicies))
  if (inner !== undefined && !trafficPolicies.includes(inner))
    errors.push(notSupported('spec.internalTrafficPolicy', inner, trafficPolicies))
  return errors
}
