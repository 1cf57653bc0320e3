import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import { isFailure } from '../../core/failure.ts'
import type { Reason } from '../../core/reason.ts'
import { sentenceOf } from '../../fleet/mistake.ts'
import { issuerTaken, providerMistakes } from '../admission/check-provider.ts'
import { reasons } from './reasons.ts'

export type Finding = Pick<ConditionReport, 'status' | 'reason' | 'message'>

/** What can be said without asking it. Undefined: it is to be asked. What admission refuses may be here all the same. */
export function findingBefore(provider: IdentityProvider, others: readonly IdentityProvider[]): Finding | undefined {
  if (provider.spec?.disabled) return not(reasons.Disabled, 'spec.disabled is true: nobody may use it')
  const wrong = sentenceOf([...providerMistakes(provider), ...issuerTaken(provider, others)])
  return wrong === undefined ? undefined : not(reasons.ValidationFailed, wrong)
}

export const answers = (authority: string): Finding => ({
  status: 'True',
  reason: reasons.ConfigReloadSuccess,
  message: `${authority} says what it offers`,
})

/** What came of asking it. Undefined: a defect, or the end of the hub. The messages are in words of ours. */
export function findingOf(error: unknown): Finding | undefined {
  if (isFailure(error, 'EGRESS_DENIED')) return not(reasons.EgressDenied, error.message)
  if (!isFailure(error, 'SPOKE_DISCOVERY_FAILED')) return undefined
  return not(
    reasons.ConfigReloadFailed,
    `${error.message}; compare spec.oidc.authority, and spec.oidc.certificateAuthority where its CA is a private one`,
  )
}

const not = (reason: Reason, message: string): Finding => ({ status: 'False', reason, message })
