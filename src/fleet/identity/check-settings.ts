import { failures } from '../../core/failures.ts'
import type { AccessSettings, IssuerSettings } from './settings.ts'

/** What a schema cannot say. A mistake here would let nobody in, or the wrong ones, so that nothing starts with it. */
export function checkAccessSettings({ issuers, roles }: AccessSettings, permissions: readonly string[]): void {
  for (const [at, issuer] of issuers.entries()) checkIssuer(issuer, `auth.issuers[${at}]`)
  const urls = issuers.map(({ issuerUrl }) => issuerUrl)
  const twice = urls.find((url, at) => urls.indexOf(url) !== at)
  if (twice !== undefined) throw wrong('auth.issuers', `has the issuer ${twice} twice`)
  for (const [at, { permissions: given, issuer }] of roles.entries()) {
    const unknown = given.find((permission) => !permissions.includes(permission))
    if (unknown !== undefined)
      throw wrong(`auth.roles[${at}].permissions`, `knows ${permissions.join(', ')}, and not ${unknown}`)
    if (issuer !== undefined && !urls.includes(issuer))
      throw wrong(`auth.roles[${at}].issuer`, 'is none of the configured issuers')
  }
}

function checkIssuer({ issuerUrl, jwksUrl, jwksFile, identityClaimPattern }: IssuerSettings, field: string): void {
  if (!isSecure(issuerUrl)) throw wrong(`${field}.issuerUrl`, 'must be an https URL')
  if ((jwksUrl === undefined) === (jwksFile === undefined)) throw wrong(field, 'needs either jwksUrl or jwksFile')
  if (jwksUrl !== undefined && !isSecure(jwksUrl)) throw wrong(`${field}.jwksUrl`, 'must be an https URL')
  if (identityClaimPattern !== undefined && !isPattern(identityClaimPattern))
    throw wrong(`${field}.identityClaimPattern`, 'is not a regular expression')
}

/** Keys that came over plain http could be anybody's. */
function isSecure(text: string): boolean {
  const url = URL.parse(text)
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname))
  )
}

function isPattern(text: string): boolean {
  try {
    new RegExp(`^(?:${text})$`, 'u')
    return true
  } catch {
    return false
  }
}

const wrong = (field: string, problem: string) =>
  failures.CONFIG_WRONG_VALUE({ field, origin: 'of the service', problem })
