import { maskText } from '../../core/mask.ts'
import { hidden } from '../../core/secret.ts'
import type { ResourceAttributes } from '../authorization/attributes.ts'

/**
 * Whether secrets pass through the bodies of a request and its answer: Secrets, tokens that are asked for and tokens
 * that are asked about. The real server writes them down if its policy is careless; here no policy can ask for it.
 */
export function isSensitive({ group, resource, subresource }: ResourceAttributes): boolean {
  if (group === 'authentication.k8s.io') return resource === 'tokenreviews'
  if (group !== '') return false
  return resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token')
}

const credentialNames = /token|passw|secret|authorization|api_?key/i

/** The API takes no credentials in the query, but clients make mistakes, and a log is kept for long. */
export function withoutCredentials(uri: string): string {
  const mark = uri.indexOf('?')
  if (mark < 0) return maskText(uri)
  const query = uri
    .slice(mark + 1)
    .split('&')
    .map(withoutCredential)
    .join('&')
  return maskText(`${uri.slice(0, mark)}?${query}`)
}

function withoutCredential(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  return credentialNames.test(decoded(name)) ? `${name}=${hidden}` : parameter
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** By what name a token that was just issued shows up as the credential of later requests. */
export function issuedCredential(tokenRequest: string): string | undefined {
  try {
    const { status } = JSON.parse(tokenRequest) as { status: { token: string } }
    const claims = Buffer.from(status.token.split('.')[1] ?? '', 'base64url').toString()
    const { jti } = JSON.parse(claims) as { jti?: unknown }
    return typeof jti === 'string' ? `JTI=${jti}` : undefined
  } catch {
    return undefined
  }
}
