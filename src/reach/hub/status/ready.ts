import { spokeReasons } from '../../../fleet/spoke/index.ts'
import type { CheckResult } from '../check.ts'
import type { Facts, Rule } from '../status-of.ts'

export const ready: Rule = (facts) => {
  const { failure } = facts.result
  if (!failure) return { status: 'True', reason: validated(facts.result), message: whatWorks(facts.result) }
  if (isStillKnown(facts)) return undefined
  return { status: 'False', reason: failure.reason, message: failure.message }
}

const validated = ({ by }: CheckResult) =>
  by === 'OIDC' ? spokeReasons.OIDCValidated : spokeReasons.KubeconfigValidated

function whatWorks({ server, trust }: CheckResult): string {
  const answers = `${server} answers`
  if (trust?.source !== 'FirstUse') return answers
  return `${answers}; its CA was trusted on first use, SHA-256 ${trust.fingerprint}: compare it with that of the cluster`
}

/**
 * A cluster that is not called for a while is as unreachable as it was, for the reason given then. One that works and
 * asks for patience works.
 */
function isStillKnown({ config, result: { failure }, before }: Facts): boolean {
  if (!before || before.observedGeneration !== config.metadata.generation) return false
  if (failure?.isThrottled) return before.status === 'True'
  return failure?.pausedMs !== undefined && before.status === 'False' && before.reason === failure.reason
}
