import type { OidcAuth } from '../../apis/breakglass/oidc-fields.ts'
import type { Exchange } from './contract.ts'
import { secretKeys } from './names.ts'
import { keyOfReference, refuse } from './way-checks.ts'

const accessToken = 'urn:ietf:params:oauth:token-type:access_token'

/** As it was given: an issuer is compared letter by letter. */
export function requireHttps(text: string | undefined, field: string): string {
  if (!text) throw refuse(field, 'is missing')
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.hostname === '') throw refuse(field, 'must be an https URL')
  if (url.username || url.password) throw refuse(field, 'must not hold a user or a password')
  return text
}

/** A public client may have a refresh token; every other grant is for clients that prove who they are. */
export function requireClientSecret(field: string, given: { refresh: boolean; exchange: boolean }): void {
  if (given.exchange) throw refuse(`${field}.clientSecretRef`, 'is missing; a token exchange needs it')
  if (!given.refresh) throw refuse(`${field}.clientSecretRef`, 'is missing')
}

export function exchangeOf(block: OidcAuth['tokenExchange'], field: string): Exchange | undefined {
  if (!block?.enabled) return undefined
  const subject = keyOfReference(block.subjectTokenSecretRef, `${field}.subjectTokenSecretRef`, secretKeys.token)
  if (!subject) throw refuse(`${field}.subjectTokenSecretRef`, 'is missing; it holds the token that is exchanged')
  const actor = keyOfReference(block.actorTokenSecretRef, `${field}.actorTokenSecretRef`, secretKeys.token)
  return {
    subject,
    subjectType: block.subjectTokenType || accessToken,
    requestedType: block.requestedTokenType || accessToken,
    ...(block.resource && { resource: block.resource }),
    ...(actor && { actor }),
    actorType: block.actorTokenType || accessToken,
  }
}
