import type { CredentialRow } from '../accounts/index.ts'
import type { RegistryEntry } from '../registries/entry.ts'

type Ranked = Pick<CredentialRow, 'id' | 'registry_id' | 'state' | 'generation' | 'created_at'>

/** Of each of these sources the active credential, or the newest superseded one where there is none; by their ids. */
export function currentOf<Row extends Ranked>(
  rows: readonly Row[],
  sources: readonly Pick<RegistryEntry, 'id'>[],
): Row[] {
  const best = new Map<string, Row>()
  for (const row of rows) {
    if (!sources.some(({ id }) => id === row.registry_id)) continue
    const rival = best.get(row.registry_id)
    if (!rival || comesBefore(row, rival)) best.set(row.registry_id, row)
  }
  return [...best.values()].sort((a, b) => (a.registry_id < b.registry_id ? -1 : 1))
}

function comesBefore(row: Ranked, rival: Ranked): boolean {
  if ((row.state === 'active') !== (rival.state === 'active')) return row.state === 'active'
  if (row.generation !== rival.generation) return row.generation > rival.generation
  const later = row.created_at.getTime() - rival.created_at.getTime()
  return later === 0 ? row.id > rival.id : later > 0
}
