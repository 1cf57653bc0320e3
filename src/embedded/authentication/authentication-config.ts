import { parse } from 'yaml'
import { problemsOf } from '../../core/schema/check.ts'
import { fieldError, fieldErrorText } from '../../core/schema/field-errors.ts'
import { checkConfig } from './config-checks.ts'
import { failures } from './failures.ts'
import type { AnonymousFields, ConfigFields, JwtFields } from './file-schema.ts'
import { configSchema } from './file-schema.ts'
import { joinErrors } from './verdict.ts'

export type { OidcOptions } from './oidc-options.ts'

export interface AuthenticationConfig {
  readonly jwt: readonly JwtFields[]
  readonly anonymous: AnonymousRules
}

export interface AnonymousRules {
  readonly enabled: boolean
  /** The only paths on which it may be. Absent: all. */
  readonly paths?: readonly string[] | undefined
}

export const anonymousEverywhere: AnonymousRules = { enabled: true }

const apiVersions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1']

/**
 * What an AuthenticationConfiguration says. Throws what is wrong with it, all of it at once. `reserved` are issuers
 * that nobody else may be: that of service accounts.
 */
export function parseAuthenticationConfig(
  text: string,
  file: string,
  reserved: readonly string[],
): AuthenticationConfig {
  const unusable = (...details: string[]) =>
    failures.AUTHENTICATION_CONFIG_INVALID({ file, detail: joinErrors(details) })
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    throw unusable((error as Error).message)
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw unusable('it is not a map')
  const { apiVersion, kind, jwt = [], anonymous } = document as ConfigFields
  if (kind !== 'AuthenticationConfiguration' || !apiVersions.includes(String(apiVersion)))
    throw unusable(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  const problems = problemsOf(configSchema, document).map((problem) => fieldErrorText(fieldError(problem)))
  if (problems.length > 0) throw unusable(...problems)
  const errors = checkConfig(document as ConfigFields, reserved)
  if (errors.length > 0) throw unusable(...errors.map(fieldErrorText))
  return { jwt, anonymous: anonymous ? anonymousRules(anonymous) : anonymousEverywhere }
}

const anonymousRules = ({ enabled = false, conditions = [] }: AnonymousFields): AnonymousRules => ({
  enabled,
  paths: conditions.length > 0 ? conditions.map(({ path = '' }) => path) : undefined,
})
