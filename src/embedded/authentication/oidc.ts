import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { goQuote } from '../go-quote.ts'
import type { BearerToken } from './bearer-token.ts'
import type { Claims } from './claim-mapping.ts'
import { ClaimError, claimMapping } from './claim-mapping.ts'
import type { JwtFields } from './file-schema.ts'
import type { OidcProvider } from './oidc-provider.ts'
import type { TokenAuthenticator, Verdict } from './verdict.ts'
import { forThisApi } from './verdict.ts'

export interface OidcDeps {
  clock: Pick<Clock, 'now'>
  provider: OidcProvider
  /** For what this API's own tokens are good. */
  audiences: readonly string[]
}

const mostRemembered = 4096
/** A good signature is not checked again for this long: a provider that withdraws a key is heard within it. */
const rememberedMs = 10_000
const notBeforeLeewaySeconds = 300

/** Tokens of one provider, and the users that their claims make. */
export class OidcTokens implements TokenAuthenticator {
  readonly #deps: OidcDeps
  readonly #issuer: string
  readonly #accepted: readonly string[]
  readonly #userOf: ReturnType<typeof claimMapping>
  /** Digests of tokens with a good signature, and until when that is not looked at again. */
  readonly #signed = new BoundedMap<string, number>(mostRemembered)

  constructor(authenticator: JwtFields, deps: OidcDeps) {
    this.#deps = deps
    this.#issuer = authenticator.issuer?.url ?? ''
    this.#accepted = authenticator.issuer?.audiences ?? []
    this.#userOf = claimMapping(authenticator)
  }

  async authenticate(token: BearerToken, asked: readonly string[]): Promise<Verdict | undefined> {
    const claims = token.jwt?.claims
    if (claims?.['iss'] !== this.#issuer) return undefined
    const audiences = forThisApi(this.#deps.audiences, asked)
    if (audiences.length === 0) return undefined
    if (!this.#deps.provider.isKnown) return { error: 'oidc: authenticator not initialized' }
    const why = this.#whyUnfit(claims) ?? (await this.#whyUnsigned(token))
    if (why) return { error: `oidc: verify token: ${why}` }
    try {
      return { user: this.#userOf(claims), audiences }
    } catch (error) {
      if (error instanceof ClaimError) return { error: error.message }
      throw error
    }
  }

  #whyUnfit({ aud, exp, nbf }: Claims): string | undefined {
    const audiences = Array.isArray(aud) ? aud : [aud]
    if (!this.#accepted.some((audience) => audiences.includes(audience)))
      return wrongAudience(this.#accepted, audiences)
    const seconds = this.#deps.clock.now().getTime() / 1000
    if (typeof exp !== 'number' || seconds > exp)
      return `oidc: token is expired (Token Expiry: ${goTime(typeof exp === 'number' ? exp : undefined)})`
    if (typeof nbf === 'number' && seconds + notBeforeLeewaySeconds < nbf)
      return `oidc: current time ${goTime(Math.floor(seconds))} before the nbf (not before) time: ${goTime(nbf)}`
    return undefined
  }

  async #whyUnsigned(token: BearerToken): Promise<string | undefined> {
    const now = this.#deps.clock.now().getTime()
    if ((this.#signed.get(token.digest) ?? 0) > now) return undefined
    try {
      if (!(await this.#deps.provider.hasSigned(token.reveal()))) return 'failed to verify signature'
    } catch (error) {
      if (isFailure(error)) return `failed to verify signature: ${error.message}`
      throw error
    }
    this.#signed.set(token.digest, now + rememberedMs)
    return undefined
  }
}

const quoted = (texts: readonly unknown[]): string =>
  `[${texts
    .filter((text) => typeof text === 'string')
    .map(goQuote)
    .join(' ')}]`

function wrongAudience(accepted: readonly string[], found: readonly unknown[]): string {
  const wanted = accepted.length > 1 ? `in ${quoted(accepted.toSorted())}` : goQuote(accepted[0] ?? '')
  return `oidc: expected audience ${wanted} got ${quoted(found)}`
}

function goTime(seconds: number | undefined): string {
  if (seconds === undefined) return '0001-01-01 00:00:00 +0000 UTC'
  const moment = new Date(seconds * 1000)
  return Number.isNaN(moment.getTime())
    ? String(seconds)
    : `${moment.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}
