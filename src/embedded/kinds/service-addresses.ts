import { isIPv6 } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { ipErrors } from './endpoints.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, invalidValue, notSupported, required } from './field-errors.ts'

const families = ['IPv4', 'IPv6']
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
/** The one family of a cluster that nobody told of another. */
const configured = 'IPv4'

const policyField = 'spec.ipFamilyPolicy'
const addressesField = 'spec.clusterIPs'

/** Makes the fields of addresses and families agree, as far as a client left them open. What it tells is told alone. */
export function settleAddresses(spec: ServiceSpec, old?: ServiceSpec): FieldError[] {
  pairAddresses(spec, old)
  if (spec.type === 'ExternalName' || (old && isStillPreferring(spec, old))) return []
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isAnybodys(spec) ? 'RequireDualStack' : 'SingleStack')
  const loose = clusterAddressErrors(spec)
  if (loose.length > 0) return loose
  const errors = [...(old ? reductionErrors(spec, old) : []), ...countErrors(spec), ...inferFamilies(spec)]
  if (errors.length > 0) return errors
  if (isAnybodys(spec)) {
    addOtherFamily(spec)
    return []
  }
  const unfit = clusterErrors(spec)
  if (unfit.length === 0 && !spec.ipFamilies?.length) spec.ipFamilies = [configured]
  return unfit
}

/** Somebody else finds the endpoints of a headless service without selector, so it may have both families. */
const isAnybodys = ({ clusterIP, selector }: ServiceSpec): boolean =>
  clusterIP === 'None' && Object.keys(selector ?? {}).length === 0

const isSame = (a: readonly string[] = [], b: readonly string[] = []): boolean => isDeepStrictEqual(a, b)

/** The first of the addresses has a field of its own; who knows nothing of the others leaves them as they were. */
function pairAddresses(spec: ServiceSpec, old?: ServiceSpec): void {
  const { clusterIP = '', clusterIPs = [] } = spec
  if (!old) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP]
    return
  }
  const { clusterIP: before = '', clusterIPs: allBefore = [] } = old
  if (allBefore.length > 0 && clusterIPs.length === 0 && clusterIP === before) spec.clusterIPs = [...allBefore]
  if (clusterIP === before || !isSame(clusterIPs, allBefore)) return
  if (clusterIP === '') delete spec.clusterIPs
  else spec.clusterIPs = [clusterIP]
}

/** A preference was settled when it was first told. */
const isStillPreferring = (spec: ServiceSpec, old: ServiceSpec): boolean =>
  spec.type === old.type &&
  spec.ipFamilyPolicy === 'PreferDualStack' &&
  (old.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
  isSame(spec.clusterIPs, old.clusterIPs) &&
  isSame(spec.ipFamilies, old.ipFamilies)

/** Who asks for one stack gives up the second address and family; nobody else may. */
function reductionErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  const { clusterIPs: addressesBefore = [], ipFamilies: familiesBefore = [] } = old
  if (ipFamilyPolicy === 'SingleStack') {
    if (isSame(clusterIPs, addressesBefore) && clusterIPs.length > 1) spec.clusterIPs = clusterIPs.slice(0, 1)
    if (isSame(ipFamilies, familiesBefore) && ipFamilies.length > 1) spec.ipFamilies = ipFamilies.slice(0, 1)
    return []
  }
  const isLess = (now: readonly string[], before: readonly string[]) => now.length > 0 && now.length < before.length
  return [
    ...(isLess(clusterIPs, addressesBefore) ? ['cluster IP'] : []),
    ...(isLess(ipFamilies, familiesBefore) ? ['IP family'] : []),
  ].map((what) => invalidValue(policyField, ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`))
}

function countErrors({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: ServiceSpec): FieldError[] {
  if (ipFamilyPolicy !== 'SingleStack') return []
  return [...(clusterIPs.length === 2 ? ['cluster IPs'] : []), ...(ipFamilies.length === 2 ? ['IP families'] : [])].map(
    (what) =>
      invalidValue(
        policyField,
        ipFamilyPolicy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      ),
  )
}

function inferFamilies(spec: ServiceSpec): FieldError[] {
  const { clusterIPs = [] } = spec
  if (clusterIPs[0] === 'None') return []
  return clusterIPs.flatMap((ip, index) => {
    if (index < (spec.ipFamilies?.length ?? 0)) return []
    const family = isIPv6(ip) ? 'IPv6' : 'IPv4'
    if (family !== configured)
      return [invalidValue(`${addressesField}[${index}]`, clusterIPs, `${family} is not configured on this cluster`)]
    spec.ipFamilies = [...(spec.ipFamilies ?? []), family]
    return []
  })
}

function addOtherFamily(spec: ServiceSpec): void {
  if (!spec.ipFamilies?.length) spec.ipFamilies = [configured]
  if (spec.ipFamilies.length > 1 || spec.ipFamilyPolicy === 'SingleStack') return
  spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === 'IPv4' ? 'IPv6' : 'IPv4']
}

const clusterErrors = ({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec): FieldError[] => [
  ...(ipFamilyPolicy === 'RequireDualStack'
    ? [invalidValue(policyField, ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
    : []),
  ...ipFamilies.flatMap((family, index) =>
    family === configured ? [] : [invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
  ),
]

/** Whether addresses and families agree. Of a service that is only a name, others look at these. */
export function clusterAddressErrors(spec: ServiceSpec): FieldError[] {
  const { type, clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  if (type === 'ExternalName') return []
  const errors: FieldError[] = []
  if (clusterIP !== '' && clusterIPs.length === 0) errors.push(required(addressesField))
  else if (clusterIP !== '' && clusterIPs[0] !== clusterIP)
    errors.push(invalidValue(addressesField, clusterIPs, 'first value must match `clusterIP`'))
  else if (clusterIP === '' && clusterIPs.length > 0)
    errors.push(invalidValue(addressesField, clusterIPs, 'must be empty when `clusterIP` is not specified'))
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families))
    if (ipFamilies.indexOf(family) !== index) errors.push(duplicateValue(`spec.ipFamilies[${index}]`, family))
  }
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy))
    errors.push(notSupported(policyField, ipFamilyPolicy, familyPolicies))
  const unfit = unfitAddresses(clusterIPs)
  errors.push(...unfit)
  if (clusterIPs.length > 2) errors.push(invalidValue(addressesField, clusterIPs, 'may only hold up to 2 values'))
  return unfit.length > 0 ? errors : [...errors, ...stackErrors(clusterIPs, ipFamilies)]
}

const unfitAddresses = (clusterIPs: readonly string[]): FieldError[] =>
  clusterIPs.flatMap((ip, index) => {
    if (index > 0 || ip !== 'None') return ipErrors(ip, `${addressesField}[${index}]`)
    return clusterIPs.length > 1
      ? [invalidValue(addressesField, clusterIPs, "'None' must be the first and only value")]
      : []
  })

function stackErrors(clusterIPs: readonly string[], ipFamilies: readonly string[]): FieldError[] {
  const isDual = new Set(clusterIPs.map(isIPv6)).size === 2
  if (clusterIPs[0] === 'None') return []
  return [
    ...(clusterIPs.length > 1 && !isDual
      ? [invalidValue(addressesField, clusterIPs, 'may specify no more than one IP for each IP family')]
      : []),
    ...clusterIPs.flatMap((ip, index) => {
      const family = ipFamilies[index]
      if (family === undefined || !families.includes(family) || (family === 'IPv6') === isIPv6(ip)) return []
      const why = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``
      return [invalidValue(`${addressesField}[${index}]`, ip, why)]
    }),
  ]
}
