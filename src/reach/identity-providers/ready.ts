import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Failure } from '../../core/failure.ts'
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

/** The words are for people; they were chosen by whoever made the failure, and hold no secret. */
export const doesNotAnswer = ({ message }: Failure): Finding =>
  not(
    reasons.ConfigReloadFailed,
    `${message}; compare spec.oidc.authority, and spec.oidc.certificateAuthority where its CA is a private one`,
  )

const not = (reason: Reason, message: string): Finding => ({ status: 'False', reason, message })
