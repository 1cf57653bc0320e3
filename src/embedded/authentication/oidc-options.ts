import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { checkJwt } from './config-checks.ts'
import { failures } from './failures.ts'
import type { JwtFields } from './file-schema.ts'
import { joinErrors } from './verdict.ts'

/** An OpenID provider, told of in the way of kube-apiserver's flags. */
export interface OidcOptions {
  issuerUrl: string
  clientId: string
  /** Default: the system's roots. */
  caPem?: string
  /** Default `sub`. */
  usernameClaim?: string
  /** Default: the issuer and `#`, but nothing before an email. `-`: none. */
  usernamePrefix?: string
  /** Default: no groups. */
  groupsClaim?: string
  groupsPrefix?: string
}

/** The same in the structured form. */
export function jwtOfOptions(options: OidcOptions, reserved: readonly string[]): JwtFields {
  const { issuerUrl, clientId, caPem, usernameClaim = 'sub', groupsClaim, groupsPrefix = '' } = options
  const authenticator: JwtFields = {
    issuer: {
      url: issuerUrl,
      audiences: [clientId],
      ...(caPem !== undefined && { certificateAuthority: caPem }),
    },
    claimMappings: {
      username: { claim: usernameClaim, prefix: usernamePrefixOf(options, usernameClaim) },
      ...(groupsClaim !== undefined && { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
    },
  }
  const errors = checkJwt(authenticator, 'oidc', reserved)
  if (errors.length > 0) throw failures.AUTHENTICATION_OIDC_INVALID({ detail: joinErrors(errors.map(fieldErrorText)) })
  return authenticator
}

function usernamePrefixOf({ usernamePrefix = '', issuerUrl }: OidcOptions, claim: string): string {
  if (usernamePrefix === '-') return ''
  if (usernamePrefix !== '') return usernamePrefix
  return claim === 'email' ? '' : `${issuerUrl}#`
}
