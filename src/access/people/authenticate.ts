import { aborted } from '../../core/lifecycle.ts'
import { issuerAuthenticator, providerIssuers } from '../../fleet/identity/index.ts'
import { issuerFetches } from '../../fleet/spoke/oidc/index.ts'
import type { Audit } from '../audit/contract.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { People } from './deps.ts'

/** Who people are, by the IdentityProviders as they are at the moment. What they may is for each route to say. */
export function peopleAccess({ spokeView, clock, egress, log, audit }: AccessHubDeps & { audit: Audit }): People {
  const { providers } = spokeView
  const find = providerIssuers(providers, { clock, fetches: issuerFetches({ clock, egress }) })
  const authenticate = issuerAuthenticator(find, {
    clock,
    log,
    onRefused: ({ issuer }, why) =>
      audit.record({
        type: 'auth.failure',
        // Nothing that such a token says of its bearer is a fact.
        actor: { user: 'system:anonymous' },
        target: { kind: 'IdentityProvider', name: issuer },
        details: { why },
        requestContext: {},
      }),
  })
  return {
    async authenticate(token, signal) {
      if (!token) return { refused: 'none' }
      if (!providers.isSynced) return { refused: 'unavailable' }
      return (await authenticate(token, signal)) ?? { refused: 'wrong' }
    },
    may: async () => 'yes',
    run: aborted,
  }
}
