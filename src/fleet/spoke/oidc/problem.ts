import { maskText } from '../../../core/mask.ts'
import type { Secret } from '../../../core/secret.ts'
import { hidden } from '../../../core/secret.ts'
import { NoAnswer } from './fetch.ts'

export interface Problem {
  /**
   * `grant`: what was shown is refused. `client`: the client is, whatever it shows. `request`: what is asked for is,
   * whatever is shown. `faulty`: an answer that says none of these. `silent`: no answer at all.
   */
  readonly kind: 'grant' | 'client' | 'request' | 'faulty' | 'silent'
  /** For people. Holds nothing that was sent. */
  readonly detail: string
}

/** As openid-client throws it. Told apart by names of classes and fields: the library is loaded by whoever called it. */
interface Thrown {
  readonly name?: string
  readonly code?: string
  readonly status?: number
  readonly error?: unknown
  readonly error_description?: unknown
  readonly cause?: unknown
}

const mostCharacters = 200
/** What OAuth calls a client that is not accepted, at the token endpoint. */
const clientRefused = new Set(['invalid_client'])
/** OAuth errors that say "later" and not "no". */
const notNow = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/**
 * What went wrong, by the status and the OAuth error code of the answer. The error itself must go no further: the ones
 * of openid-client carry whole answers, tokens included.
 */
export function problemOf(error: unknown, sent: readonly Secret[] = []): Problem {
  const silence = silenceOf(error)
  if (silence) return { kind: 'silent', detail: silence.message }
  const thrown = error as Thrown
  if (typeof thrown.error === 'string') return refusalOf(thrown, sent)
  const flaw = malformed[thrown.code ?? '']
  const status = statusOf(thrown)
  if (flaw !== undefined || status === undefined)
    return { kind: 'faulty', detail: flaw ?? 'its answer is not what OpenID Connect has for it' }
  return { kind: status === 401 ? 'client' : 'faulty', detail: `it answered with status ${status}` }
}

function refusalOf({ error, error_description: description, status = 0 }: Thrown, sent: readonly Secret[]): Problem {
  const code = String(error)
  const kind = kindOf(code, status)
  const words = typeof description === 'string' ? ` (${printable(description, sent)})` : ''
  return { kind, detail: `${printable(code, sent)}${words}` }
}

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

function printable(text: string, sent: readonly Secret[]): string {
  const plain = sent.reduce((left, secret) => withoutSecret(left, secret.reveal()), text)
  const shown = maskText(plain)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return shown.length > mostCharacters ? `${shown.slice(0, mostCharacters)}…` : shown
}

const withoutSecret = (text: string, secret: string): string => (secret === '' ? text : text.replaceAll(secret, hidden))
