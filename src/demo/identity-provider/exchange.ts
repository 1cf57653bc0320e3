import type { JSONWebKeySet, JWTPayload } from 'jose'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import { audienceOf } from './audience.ts'

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

const tokenType = (name: string): string => `urn:ietf:params:oauth:token-type:${name}`
/** All tokens of this provider are JWTs. */
const known = ['access_token', 'id_token', 'jwt'].map(tokenType)
const issuable = ['access_token', 'jwt'].map(tokenType)

export const exchangeParameters = [
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'],
  ...['requested_token_type', 'resource', 'audience', 'scope'],
] as const

type Parameters = Partial<Record<(typeof exchangeParameters)[number], string>>

export type ExchangeContext = TokenEndpointGrantContext<Parameters>

/** What an exchanged token says beyond what every token says. */
export interface Exchanged {
  subject: string
  claims: Readonly<Record<string, unknown>>
}

export interface ExchangeDeps {
  issuer: string
  keys: JSONWebKeySet
  clock: Pick<Clock, 'now'>
  issue(ctx: ExchangeContext, exchanged: Exchanged, audience: string): Promise<object>
}

/** RFC 8693: a token of this provider for another, in the name of the same subject, with who acts for it. */
export function tokenExchange(provider: Provider, deps: ExchangeDeps): void {
  const keys = createLocalJWKSet(deps.keys)
  const claimsOf = async (name: 'subject_token' | 'actor_token', token: string): Promise<JWTPayload> => {
    try {
      const { payload } = await jwtVerify(token, keys, { issuer: deps.issuer, currentDate: deps.clock.now() })
      return payload
    } catch (cause) {
      throw new errors.InvalidRequest(`${name} is not a valid token of this provider`, 400, { cause })
    }
  }
  provider.registerGrantType<Parameters>(
    exchangeGrant,
    async (ctx) => {
      const given = ctx.oidc.params
      const flaw = whyMalformed(given)
      if (flaw !== undefined) throw new errors.InvalidRequest(flaw)
      const subject = await claimsOf('subject_token', given.subject_token ?? '')
      const actor = given.actor_token === undefined ? undefined : await claimsOf('actor_token', given.actor_token)
      const { iss, aud, exp, iat, nbf, jti, client_id, scope, sub = '', ...claims } = subject
      const audience = given.audience ?? (given.resource && audienceOf(given.resource)) ?? ctx.oidc.client.clientId
      const exchanged = { subject: sub, claims: { ...claims, ...(actor && { act: actorOf(actor) }) } }
      ctx.body = await deps.issue(ctx, exchanged, audience)
    },
    exchangeParameters,
  )
}

/** Who acts comes first; who acted for them before is kept inside. */
const actorOf = ({ sub, act }: JWTPayload): object => ({ sub, ...(act !== undefined && { act }) })

export function whyMalformed(given: Parameters): string | undefined {
  if (!given.subject_token) return 'subject_token is missing'
  if (!given.subject_token_type) return 'subject_token_type is missing'
  if (!known.includes(given.subject_token_type)) return 'subject_token_type is not supported'
  if (given.actor_token !== undefined && !given.actor_token_type) return 'actor_token_type is missing'
  if (given.actor_token === undefined && given.actor_token_type !== undefined)
    return 'actor_token_type is given without actor_token'
  if (given.actor_token_type !== undefined && !known.includes(given.actor_token_type))
    return 'actor_token_type is not supported'
  if (given.requested_token_type !== undefined && !issuable.includes(given.requested_token_type))
    return 'requested_token_type is not supported'
  return undefined
}

export const issuedType = (given: Parameters): string => given.requested_token_type ?? tokenType('access_token')
