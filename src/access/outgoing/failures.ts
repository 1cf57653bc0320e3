import { catalogue } from '../../core/failure.ts'

/** Only the host is named: what comes after it in an address is often a secret. */
export const failures = catalogue({
  OUTGOING_UNANSWERED: [502, '{host} cannot be told: {detail}'],
  OUTGOING_REFUSED: [502, '{host} answered with status {answered}'],
})
