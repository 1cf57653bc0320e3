import type { RegistryEntry } from '../registries/entry.ts'

type Source = Pick<RegistryEntry, 'id'>

export interface Needs {
  cluster_generation: number
  needed_registries: readonly string[]
}

/** What a cluster's documents have had to have so far. One that the installation has no more is not missed. */
export const neededOf = <S extends Source>({ needed_registries }: Needs, sources: readonly S[]): readonly S[] =>
  sources.filter(({ id }) => needed_registries.includes(id))

/** Whether a document may be served of these credentials. */
export const isWhole = (
  { cluster_generation }: Needs,
  current: readonly { registry_id: string }[],
  needed: readonly Source[],
): boolean =>
  cluster_generation > 0 &&
  current.length > 0 &&
  needed.every(({ id }) => current.some((row) => row.registry_id === id))
