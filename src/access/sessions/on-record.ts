import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'

/** Different people, whatever the case of their names. */
export const approversOnRecord = ({ status }: Pick<BreakglassSession, 'status'>): number =>
  new Set((status?.approvals ?? []).map(({ approver }) => approver.toLowerCase())).size

/**
 * Whether it is on record why a session may grant: as many as must have approved it, or nobody did and somebody has to
 * say afterwards whether that was right. A state alone is only a word.
 */
export const isGrantOnRecord = (session: Pick<BreakglassSession, 'spec' | 'status'>): boolean =>
  (session.spec.emergency === true && session.status?.review !== undefined) ||
  approversOnRecord(session) >= Math.max(1, session.spec.minApprovals ?? 1)
