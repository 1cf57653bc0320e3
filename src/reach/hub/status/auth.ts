import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import { spokeReasons } from '../../../fleet/spoke/index.ts'
import type { Facts, Rule } from '../status-of.ts'

const recovered = {
  status: 'False' as const,
  reason: spokeReasons.AuthRecovered,
  message: 'the identity provider gives tokens as it was meant to',
}

export const refreshTokenExpired: Rule = (facts) => {
  const { failure, credential } = facts.result
  if (failure?.code === 'SPOKE_REFRESH_REFUSED')
    return { status: 'True', reason: spokeReasons.RefreshTokenRefused, message: failure.message }
  if (!credential || !facts.before) return undefined
  return credential.refused === undefined ? recovered : fellBack(credential.refused)
}

export const degradedAuth: Rule = (facts) => {
  const { failure, credential } = facts.result
  if (failure?.code === 'SPOKE_REFRESH_REFUSED' && facts.before)
    return { status: 'False', reason: spokeReasons.RefreshTokenRefused, message: 'no other grant takes its place' }
  if (!credential) return undefined
  if (credential.refused !== undefined && isToBeTold(facts)) return { ...fellBack(credential.refused), status: 'True' }
  if (!facts.before) return undefined
  return credential.refused === undefined ? recovered : fellBack(credential.refused)
}

const fellBack = (refused: string) => ({
  status: 'False' as const,
  reason: spokeReasons.FallbackSucceeded,
  message: `the refresh token is refused (${refused}); another grant gave a token: put a new refresh token into its Secret`,
})

const isToBeTold = ({ config }: Facts): boolean => fallbackPolicyOf(config) === 'Warn'

const fallbackPolicyOf = ({ spec }: ClusterConfig) => (spec.oidcAuth ?? spec.oidcFromIdentityProvider)?.fallbackPolicy
