import type { Environment } from '@marcbachmann/cel-js'
import { accesses, optionalAccesses } from './access.ts'
import { Cidr, cidrs, cidrType } from './cidr.ts'
import { conversions } from './conversions.ts'
import { formats, formatType, NamedFormat } from './formats.ts'
import { ips } from './ip.ts'
import { IpAddress, ipType } from './ip-address.ts'
import { lists } from './lists.ts'
import { operators } from './operators.ts'
import { optionals } from './optionals.ts'
import type { Overload } from './overloads.ts'
import { Quantity, quantities, quantityType } from './quantity.ts'
import { regex } from './regex.ts'
import { Semver, semvers, semverType } from './semver.ts'
import { sets } from './sets.ts'
import { sizes } from './sizes.ts'
import { strings } from './strings.ts'
import { times } from './times.ts'
import { KubeUrl, urls, urlType } from './urls.ts'

/** All that Kubernetes has for every expression; what only some have, an authorizer, is added where they are compiled. */
const families: readonly (readonly Overload[])[] = [
  ...[operators, accesses, optionalAccesses, conversions, sizes, strings, regex, lists, sets, times, optionals],
  ...[urls, quantities, ips, cidrs, semvers, formats],
]

/** The forms of a function by its name. */
export const functions: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(families.flat(), ({ name }) => name)

/** Without fields declared, the engine would let expressions read the members of the classes. */
const noFields = {}

/** The types that these functions take and give. */
export function addFunctions(environment: Environment): void {
  environment.registerType(quantityType, { ctor: Quantity, fields: noFields })
  environment.registerType(ipType, { ctor: IpAddress, fields: noFields })
  environment.registerType(cidrType, { ctor: Cidr, fields: noFields })
  environment.registerType(semverType, { ctor: Semver, fields: noFields })
  environment.registerType(urlType, { ctor: KubeUrl, fields: noFields })
  environment.registerType(formatType, { ctor: NamedFormat, fields: noFields })
}
