import type { Attributes, Decision } from './attributes.ts'
import { aggregate } from './rbac.ts'

/** One authorizer of several. */
export interface Link {
  decide(attributes: Attributes): Decision | Promise<Decision>
  /** Whether it can tell all that it would allow. */
  readonly knowsItsRules: boolean
  close(): Promise<void>
}

/** The first that allows or denies has decided. Where none does, the reasons of all are told. */
export async function decideInTurn(
  links: readonly Link[],
  attributes: Attributes,
  signal?: AbortSignal,
): Promise<Decision> {
  const [reasons, errors]: [string[], string[]] = [[], []]
  for (const link of links) {
    signal?.throwIfAborted()
    const decided = link.decide(attributes)
    const decision = decided instanceof Promise ? await decided : decided
    if (decision.verdict !== 'no opinion') return decision
    if (decision.reason !== '') reasons.push(decision.reason)
    if (decision.error !== undefined) errors.push(decision.error)
  }
  const reason = reasons.join('\n')
  return errors.length === 0
    ? { verdict: 'no opinion', reason }
    : { verdict: 'no opinion', reason, error: aggregate(errors) }
}
