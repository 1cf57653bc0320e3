import { isConflict, isInvalid, isNotFound } from '../../kube/failures.ts'
import { configMaps } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { auditHeads } from '../names.ts'
import type { ChainHead } from './chain.ts'

/** How far a writer got, for certain, and where its records are. */
export interface AuditHead extends ChainHead {
  readonly writer: string
  /** `log`, or `<AuditConfig>/<sink>` of a webhook. */
  readonly sink: string
  readonly at: string
  /** The writer ended in order: it writes no more. */
  readonly final?: true
}

const keptMs = 400 * 86_400_000
/** A ConfigMap holds 1 MiB, with the names of all who wrote to it. */
const mostHeads = 1_000

/** A key of a ConfigMap for a writer. Its own name is in the value. */
const keyOf = (writer: string): string => writer.replace(/[^-._a-zA-Z0-9]/g, '_').slice(0, 253)

/** Undefined for what is none: others may write here, too. */
function headIn(text: string): AuditHead | undefined {
  try {
    const { writer, seq, hash, at, sink, final } = JSON.parse(text) as Partial<AuditHead>
    if (typeof writer !== 'string' || !Number.isSafeInteger(seq) || typeof hash !== 'string') return undefined
    const head = { writer, seq: seq as number, hash, at: String(at ?? ''), sink: String(sink ?? 'log') }
    return final === true ? { ...head, final } : head
  } catch {
    return undefined
  }
}

/** The heads in the data of the ConfigMap. */
export const headsIn = (data: Readonly<Record<string, string>>): AuditHead[] =>
  Object.values(data).flatMap((text) => headIn(text) ?? [])

/** What was anchored, for `verifyAudit`. */
export async function readAuditHeads(kube: Kube, namespace: string, signal?: AbortSignal): Promise<AuditHead[]> {
  const found = await kube.of(configMaps, namespace).find(auditHeads, signal && { signal })
  return headsIn(found?.data ?? {})
}

/** Only these: nobody overwrites the head of another, and a write that arrives late takes none away. */
export async function anchorHeads(
  kube: Kube,
  namespace: string,
  replica: string,
  heads: readonly AuditHead[],
  signal: AbortSignal,
): Promise<void> {
  const collection = kube.of(configMaps, namespace)
  const data = Object.fromEntries(heads.map((head) => [keyOf(head.writer), JSON.stringify(head)]))
  try {
    await collection.patch(auditHeads, { type: 'merge', body: { data } }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    // Not by a create: the hub may make an object of this name only, and only an apply has the name in its address.
    const options = { fieldManager: `lanyard-audit-${keyOf(replica)}`.slice(0, 128), force: true, signal }
    await collection.apply({ metadata: { name: auditHeads }, data }, options)
  }
}

/** Takes away the heads of writers that ended long ago. Each only if it is as it was seen: one that lives on is kept. */
export async function pruneHeads(kube: Kube, namespace: string, now: Date, signal: AbortSignal): Promise<void> {
  const collection = kube.of(configMaps, namespace)
  const found = await collection.find(auditHeads, { signal })
  for (const [key, value] of outdated(found?.data ?? {}, now)) {
    const path = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const operations = [
      { op: 'test', path, value },
      { op: 'remove', path },
    ]
    await collection.patch(auditHeads, { type: 'json', operations }, { signal }).catch((error: unknown) => {
      if (!isConflict(error) && !isInvalid(error) && !isNotFound(error)) throw error
    })
  }
}

export function outdated(data: Readonly<Record<string, string>>, now: Date): [key: string, value: string][] {
  const dated = Object.entries(data).flatMap(([key, value]) => {
    const at = Date.parse(headIn(value)?.at ?? '')
    return Number.isNaN(at) ? [] : [{ key, value, at }]
  })
  dated.sort((a, b) => b.at - a.at)
  return dated
    .filter(({ at }, index) => now.getTime() - at > keptMs || index >= mostHeads)
    .map(({ key, value }) => [key, value])
}
