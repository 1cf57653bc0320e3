import type { Failure } from '../../core/failure.ts'
import type { Escalation, RequestFacts } from './contract.ts'
import { failures } from './failures.ts'
import { fits } from './glob.ts'

/** How many sessions there may be; what is absent is not limited. */
export interface SessionLimits {
  readonly perUser?: number
  readonly total?: number
}

/**
 * What the escalation says of one user goes before what their identity provider says; of the provider, the first
 * override for a group of theirs goes before what holds for everybody.
 */
export function limitsOf(
  escalation: Escalation,
  { person, provider }: Pick<RequestFacts, 'person' | 'provider'>,
): SessionLimits {
  const own = escalation.spec.sessionLimitsOverride
  if (own?.unlimited) return {}
  const total = own?.maxActiveSessionsTotal
  const perUser = own?.maxActiveSessionsPerUser ?? providersLimit(provider?.spec?.sessionLimits, person.groups)
  return { ...(perUser !== undefined && { perUser }), ...(total !== undefined && { total }) }
}

type ProviderLimits = NonNullable<NonNullable<NonNullable<RequestFacts['provider']>['spec']>['sessionLimits']>

function providersLimit(limits: ProviderLimits | undefined, groups: readonly string[]): number | undefined {
  const override = limits?.groupOverrides?.find(({ group }) => groups.some((own) => fits(group, own)))
  if (override?.unlimited) return undefined
  return override?.maxActiveSessionsPerUser ?? limits?.maxActiveSessionsPerUser
}

/** Whether one more is too many. */
export function whyTooMany(
  { perUser, total }: SessionLimits,
  live: { readonly ofUser: number; readonly underEscalation: number },
  names: { readonly user: string; readonly escalation: string },
): Failure | undefined {
  if (perUser !== undefined && live.ofUser >= perUser)
    return failures.ACCESS_TOO_MANY({ who: names.user, count: live.ofUser, most: perUser })
  if (total !== undefined && live.underEscalation >= total)
    return failures.ACCESS_TOO_MANY({ who: `escalation ${names.escalation}`, count: live.underEscalation, most: total })
  return undefined
}
