import type { OidcAuth, OidcFromIdentityProvider } from '../../apis/breakglass/oidc-fields.ts'
import { authorityProblem, keyProblem, scopeProblem, urlProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { secretKeys } from '../../fleet/spoke/names.ts'
import type { ConfigSpec, OidcBlock } from './secret-refs.ts'

type Oidc = OidcAuth | OidcFromIdentityProvider
/** What is wrong, as pairs of the field within the block and the problem; with the value where it is not that field's. */
type Check = (oidc: Oidc) => readonly (readonly [field: string, problem: string | undefined, value?: unknown])[]

/** Which fields must be there at all, the schema says. */
export function oidcMistakes(spec: ConfigSpec, block: OidcBlock): Mistake[] {
  const oidc = spec[block]
  if (!oidc) return []
  const own = block === 'oidcAuth' ? [clientSecretIsMissing, issuerIsWrong] : [twoCredentials]
  return [...common, ...own].flatMap((check) =>
    check(oidc).flatMap(([field, problem, value]) =>
      problem === undefined ? [] : [mistake(`spec.${block}.${field}`, problem, value)],
    ),
  )
}

const serverIsWrong: Check = ({ server }) => [['server', urlProblem(server), server]]

const issuerIsWrong: Check = (oidc) => {
  const { issuerURL, certificateAuthority } = oidc as OidcAuth
  return [
    ['issuerURL', urlProblem(issuerURL), issuerURL],
    [
      'certificateAuthority',
      certificateAuthority ? authorityProblem(certificateAuthority) : undefined,
      certificateAuthority,
    ],
  ]
}

const scopesAreWrong: Check = ({ scopes = [] }) =>
  scopes.map((scope, index) => [
    `scopes[${index}]`,
    scopes.indexOf(scope) < index ? 'is there twice; leave one out' : scopeProblem(scope),
    scope,
  ])

const exchangeIsIncomplete: Check = ({ tokenExchange }) =>
  tokenExchange?.enabled === true && !tokenExchange.subjectTokenSecretRef
    ? [['tokenExchange.subjectTokenSecretRef', 'is required with tokenExchange.enabled: the token to exchange']]
    : []

const clientSecretIsMissing: Check = ({ clientSecretRef, refreshTokenSecretRef, tokenExchange }) => {
  if (clientSecretRef) return []
  if (tokenExchange?.enabled === true) return [['clientSecretRef', 'is required with tokenExchange.enabled']]
  return refreshTokenSecretRef ? [] : [['clientSecretRef', 'is required, unless there is a refreshTokenSecretRef']]
}

const twoCredentials: Check = ({ clientSecretRef, refreshTokenSecretRef }) =>
  clientSecretRef && refreshTokenSecretRef
    ? [['refreshTokenSecretRef', 'and clientSecretRef are mutually exclusive; keep one of the two']]
    : []

const fallbackHasNothingToFallFrom: Check = ({ fallbackPolicy, refreshTokenSecretRef }) =>
  fallbackPolicy !== undefined && !refreshTokenSecretRef
    ? [['fallbackPolicy', 'is about a refresh token; give refreshTokenSecretRef, or leave it out', fallbackPolicy]]
    : []

/** The successor must not take the place of the token that a person put there. */
const rotatedKeyIsWrong: Check = ({ rotatedRefreshTokenKey: rotated, refreshTokenSecretRef: first }) => {
  if (!rotated) return []
  if (!first)
    return [['rotatedRefreshTokenKey', 'is a key of refreshTokenSecretRef; give that, or leave it out', rotated]]
  const read: readonly string[] = first.key ? [first.key] : secretKeys.token
  const problem = read.includes(rotated)
    ? `must not be ${rotated}, which the first token is read from; choose another key`
    : keyProblem(rotated)
  return [['rotatedRefreshTokenKey', problem, [rotated, read]]]
}

const common = [serverIsWrong, scopesAreWrong, exchangeIsIncomplete, fallbackHasNothingToFallFrom, rotatedKeyIsWrong]
