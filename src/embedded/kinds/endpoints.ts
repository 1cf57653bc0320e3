import { isIPv4, isIPv6 } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from 'kubernetes-types/core/v1.d.ts'
import { protocols } from './container-checks.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws, portFlaws } from './names.ts'

export const endpoints: Definition = {
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  rules: {
    updateChecks: ['update', 'whole', 'check', 'checkUpdate'],
    createsOnUpdate: true,
    defaults: (object) => {
      for (const { ports = [] } of as<Endpoints>(object).subsets ?? [])
        for (const port of ports) port.protocol ||= 'TCP'
    },
    check: ({ metadata }) => checkStandardFinalizers(metadata.finalizers),
    checkCreate: (object) => subsetErrors(as<Endpoints>(object).subsets ?? []),
    checkUpdate: (object, old) =>
      isDeepStrictEqual(object['subsets'], old['subsets']) ? [] : subsetErrors(as<Endpoints>(object).subsets ?? []),
  },
  cells: { Endpoints: (object) => addressesCell(as<Endpoints>(object).subsets ?? []) },
}

function subsetErrors(subsets: readonly EndpointSubset[]): FieldError[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required(field, 'must specify `addresses` or `notReadyAddresses`')]
        : []),
      ...addresses.flatMap((address, at) => addressErrors(address, `${field}.addresses[${at}]`)),
      ...notReadyAddresses.flatMap((address, at) => addressErrors(address, `${field}.notReadyAddresses[${at}]`)),
      ...ports.flatMap((port, at) => portErrors(port, ports.length > 1, `${field}.ports[${at}]`)),
    ]
  })
}

function addressErrors({ ip = '', hostname, nodeName }: EndpointAddress, field: string): FieldError[] {
  return [
    ...ipErrors(ip, `${field}.ip`),
    ...(hostname ? invalidFor(`${field}.hostname`, hostname, dnsLabelFlaws(hostname)) : []),
    ...(nodeName === undefined ? [] : invalidFor(`${field}.nodeName`, nodeName, dnsSubdomainFlaws(nodeName))),
    ...endpointIpErrors(ip, `${field}.ip`),
  ]
}

export const ipErrors = (ip: string, field: string): FieldError[] =>
  isIPv4(ip) || isIPv6(ip)
    ? []
    : [invalidValue(field, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]

/** Addresses under which there can be no endpoint. */
export function endpointIpErrors(ip: string, field: string): FieldError[] {
  const why = specialIp(ip)
  return why ? [invalidValue(field, ip, why)] : []
}

function specialIp(ip: string): string | undefined {
  if (!isIPv4(ip) && !isIPv6(ip)) return 'must be a valid IP address'
  if (ip === '0.0.0.0' || ip === '::') return `may not be unspecified (${ip})`
  if (/^127\./.test(ip) || ip === '::1') return 'may not be in the loopback range (127.0.0.0/8, ::1/128)'
  if (/^169\.254\./.test(ip) || /^fe[89ab]/i.test(ip))
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'
  if (/^224\.0\.0\./.test(ip) || /^ff02:/i.test(ip))
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'
  return undefined
}

function portErrors(
  { name = '', port = 0, protocol = '' }: EndpointPort,
  mustHaveName: boolean,
  field: string,
): FieldError[] {
  return [
    ...(name !== ''
      ? invalidFor(`${field}.name`, name, dnsLabelFlaws(name))
      : mustHaveName
        ? [required(`${field}.name`)]
        : []),
    ...invalidFor(`${field}.port`, port, portFlaws(port)),
    ...(protocols.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
  ]
}

const shownAddresses = 3

function addressesCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => (isIPv6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`))),
  )
  const shown = all.slice(0, shownAddresses).join(',')
  return all.length > shownAddresses ? `${shown} + ${all.length - shownAddresses} more...` : shown
}
