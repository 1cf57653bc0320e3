import type { Priority } from './http/budget.ts'
import type { RegistryDriver } from './registry.ts'

export type RegistryType = 'Quay' | 'Redhat' | 'Harbor' | 'Nexus' | 'Generic'

/** One host of the document. */
export interface RegistryEntry {
  id: string
  name: string
  type: RegistryType
  /** The key under `auths`: a host, without scheme. */
  host: string
  /** The id of the entry whose credential it shows. It has no account, no row and no pool of its own then. */
  credentialSource?: string
  /** Without it there is no document. Default true. */
  required: boolean
}

/** The registries of an installation, in the order of its configuration. */
export interface Registries {
  readonly entries: readonly RegistryEntry[]
  /** Those with a credential of their own. */
  readonly sources: readonly RegistryEntry[]
  /** By id or by an old name of it (`Quay_quay.io`, `rhit`); undefined for what is not configured. */
  find(idOrAlias: string): RegistryEntry | undefined
  /** Of a source. Work in the background says so: its calls go after those of requests. */
  driver(id: string, priority?: Priority): RegistryDriver
}
