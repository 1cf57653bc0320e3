import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { parseDuration } from '../duration.ts'
import type { AccessSettings } from '../settings.ts'
import { durationProblem, mistakeOf } from './fields.ts'

/** What the schema fills in. It is nobody's mistake, also where it is longer than a session may last. */
const standardTimeout = '1h'
const standardMost = '1h'
const leastIdleMs = 60_000
/** An API server asks about what it was allowed no sooner than this: so much of the time nobody can tell idle from busy. */
const ttlsPerIdle = 4

/** The durations of an escalation, one by one and against each other. */
export function durationMistakes(
  spec: EscalationSpec,
  { authorizedTtlMs }: Pick<AccessSettings, 'authorizedTtlMs'>,
): Mistake[] {
  const {
    maxValidFor = standardMost,
    idleTimeout,
    approvalTimeout = standardTimeout,
    retainFor,
    emergencyBypass,
  } = spec
  const single = [
    ...mistakeOf('spec.maxValidFor', maxValidFor, durationProblem),
    ...mistakeOf('spec.idleTimeout', idleTimeout, durationProblem),
    ...mistakeOf('spec.approvalTimeout', approvalTimeout, durationProblem),
    ...mistakeOf('spec.retainFor', retainFor, durationProblem),
    ...mistakeOf('spec.emergencyBypass.reviewWithin', emergencyBypass?.reviewWithin, durationProblem),
  ]
  if (single.length > 0) return single
  const most = parseDuration(maxValidFor) ?? 0
  const mistakes: Mistake[] = []
  if (approvalTimeout !== standardTimeout && (parseDuration(approvalTimeout) ?? 0) > most)
    mistakes.push(mistake('spec.approvalTimeout', `must be at most maxValidFor, ${maxValidFor}`, approvalTimeout))
  if (idleTimeout === undefined) return mistakes
  const idle = parseDuration(idleTimeout) ?? 0
  const least = Math.max(leastIdleMs, ttlsPerIdle * authorizedTtlMs)
  if (idle < least)
    mistakes.push(
      mistake(
        'spec.idleTimeout',
        `must be at least ${least / 1_000}s: API servers remember what they were allowed for ${authorizedTtlMs / 1_000}s and do not ask meanwhile`,
        [idleTimeout, authorizedTtlMs],
      ),
    )
  if (idle > most)
    mistakes.push(mistake('spec.idleTimeout', `must be at most maxValidFor, ${maxValidFor}`, idleTimeout))
  return mistakes
}
