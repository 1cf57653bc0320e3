import type { Exchange, OidcWay, Token } from '../contract.ts'

export type Grant = Token['grant']
export type Form = Readonly<Record<string, string>>

export const exchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** Which grant a token comes by where there is no refresh token to use; undefined where nothing else is configured. */
export function mainGrant({ exchange, clientSecret }: OidcWay): Exclude<Grant, 'refresh_token'> | undefined {
  if (exchange) return 'token_exchange'
  return clientSecret ? 'client_credentials' : undefined
}

/** Besides the client and its secret. A token that is for nobody in particular is good everywhere, hence the server. */
export const clientCredentialsForm = ({ scopes, audience, server }: OidcWay): Form => ({
  scope: [...new Set(['openid', ...scopes])].join(' '),
  audience: audience ?? server,
})

export interface ExchangeTokens {
  readonly subject: string
  readonly actor?: string
}

/** RFC 8693. What the token is for is said only where the ClusterConfig says so: not every issuer takes all of them. */
export const exchangeForm = (way: OidcWay, exchange: Exchange, { subject, actor }: ExchangeTokens): Form => ({
  subject_token: subject,
  subject_token_type: exchange.subjectType,
  requested_token_type: exchange.requestedType,
  ...(actor !== undefined && { actor_token: actor, actor_token_type: exchange.actorType }),
  ...(way.audience !== undefined && { audience: way.audience }),
  ...(exchange.resource !== undefined && { resource: exchange.resource }),
  ...(way.scopes.length > 0 && { scope: way.scopes.join(' ') }),
})
