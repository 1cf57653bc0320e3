import { failures } from '../../../core/failures.ts'
import type { RegistryConfig } from '../config.ts'
import type { NexusOptions } from './driver.ts'

const longestDefault = 128
/** Whose holder may do everything: nobody pulls with that. */
const tooMuch = new Set(['nx-admin'])

export function nexusOptions(config: RegistryConfig, instanceId: string): NexusOptions {
  const { id, roles = [], maxNameLength = longestDefault } = config
  const wrong = (problem: string) =>
    failures.CONFIG_WRONG_VALUE({ field: `pullSecrets.registries.${id}.roles`, origin: 'configuration', problem })
  if (roles.length === 0) throw wrong('must name at least one role that lets its users pull')
  const admin = roles.find((role) => tooMuch.has(role))
  if (admin !== undefined) throw wrong(`must not hold ${admin}: its users may do everything`)
  return { id, roles, longestName: maxNameLength, instanceId }
}
