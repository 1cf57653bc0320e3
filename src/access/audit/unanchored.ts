import { freshenEveryMs } from './anchoring.ts'
import type { AuditRecord } from './chain.ts'
import type { AuditHead } from './heads.ts'

/** Longer than a writer that lives leaves its head alone. */
const graceMs = 3 * freshenEveryMs

/**
 * Whether a record after the anchored head of its writer cannot be the writer's: it had ended in order, or it would have
 * anchored it long ago, as others did since. Of what a process wrote in the moments before it was killed nobody knows.
 */
export function isForeign({ event }: AuditRecord, head: AuditHead, newestHead: number): boolean {
  if (head.final) return true
  const written = Date.parse(event.timestamp)
  return written - Date.parse(head.at) > graceMs && newestHead - written > graceMs
}
