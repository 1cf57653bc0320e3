import { NoAnswer } from './fetch.ts'

export interface Problem {
  /**
   * `grant`: what was shown is refused. `client`: the client is, whatever it shows. `request`: what is asked for is,
   * whatever is shown. `faulty`: an answer that says none of these. `silent`: no answer at all.
   */
  readonly kind: 'grant' | 'client' | 'request' | 'faulty' | 'silent'
  /** For people. In words of ours and codes of OAuth. */
  readonly detail: string
}

/** As openid-client throws it. Told apart by names of classes and fields: the library is loaded by whoever called it. */
interface Thrown {
  readonly name?: string
  readonly code?: string
  readonly status?: number
  readonly error?: unknown
  readonly cause?: unknown
}

/** What OAuth calls a client that is not accepted, at the token endpoint. */
const clientRefused = new Set(['invalid_client'])
/** OAuth errors that say "later" and not "no". */
const notNow = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/**
 * What went wrong, by the status and the OAuth error code of the answer. Nothing else of the answer is repeated: who
 * may name an issuer must not make the hub show what is said at that address. The error itself must go no further
 * either: the ones of openid-client carry whole answers, tokens included.
 */
export function problemOf(error: unknown): Problem {
  const silence = silenceOf(error)
  if (silence) return { kind: 'silent', detail: silence.message }
  const thrown = error as Thrown
  if (typeof thrown.error === 'string') return refusalOf(thrown.error, thrown.status ?? 0)
  const flaw = malformed[thrown.code ?? '']
  const status = statusOf(thrown)
  if (flaw !== undefined || status === undefined)
    return { kind: 'faulty', detail: flaw ?? 'its answer is not what OpenID Connect has for it' }
  return { kind: status === 401 ? 'client' : 'faulty', detail: `it answered with status ${status}` }
}

const refusalOf = (code: string, status: number): Problem => ({
  kind: kindOf(code, status),
  detail: oauthErrors.has(code) ? code : `it answered with status ${status} and an error code that OAuth does not have`,
})

/** RFC 6749, 6750, 7009, 8628, 8693 and 8707. */
const oauthErrors: ReadonlySet<string> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
  ...['invalid_scope', 'invalid_target', 'invalid_token', 'insufficient_scope', 'unsupported_token_type'],
  ...['access_denied', 'unsupported_response_type', 'server_error', 'temporarily_unavailable'],
  ...['authorization_pending', 'slow_down', 'expired_token'],
])

/**
 * OAuth refuses with 400, and has one code for a grant or a refresh token that is no good. Issuers have codes of their own for what is no refusal, with other statuses: Keycloak answers
 * 403 for a realm that is disabled and 404 for one that is gone, and what was shown is as good as before.
 */
function kindOf(code: string, status: number): Problem['kind'] {
  if (clientRefused.has(code) || status === 401) return 'client'
  if (code === 'invalid_grant') return 'grant'
  return notNow.has(code) || status !== 400 ? 'faulty' : 'request'
}

const malformed: Readonly<Record<string, string>> = {
  OAUTH_RESPONSE_IS_NOT_JSON: 'its answer is not JSON',
  OAUTH_PARSE_ERROR: 'its answer is not valid JSON',
  OAUTH_INVALID_RESPONSE: 'its answer lacks what OpenID Connect asks for, or has it in another form',
  OAUTH_UNSUPPORTED_OPERATION: 'its token is of a type that cannot be used',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'its discovery document is that of another issuer',
}

/** The library wraps what a fetch throws. */
function silenceOf(error: unknown): NoAnswer | undefined {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; at = (at as Thrown).cause, depth++)
    if (at instanceof NoAnswer) return at
  return undefined
}

/** Where an answer has the wrong status, the library hands it over as the cause. */
const statusOf = ({ cause }: Thrown): number | undefined => (cause instanceof Response ? cause.status : undefined)
