import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { BearerToken } from './bearer-token.ts'
import type { JwtFields } from './file-schema.ts'
import { OidcTokens } from './oidc.ts'
import { OidcProvider } from './oidc-provider.ts'
import type { TokenAuthenticator, Verdict } from './verdict.ts'

export interface OidcIssuersDeps {
  clock: Clock
  log: Log
  /** For what this API's own tokens are good. */
  audiences: readonly string[]
}

/** Milliseconds between two tries to hear from a provider that is away. As Kubernetes has it. */
const retryMs = 10_000

interface Issuer {
  readonly provider: OidcProvider
  readonly tokens: OidcTokens
}

/** All OpenID providers there are at present. They may be away at the start, and others may take their place. */
export class OidcIssuers implements TokenAuthenticator {
  readonly #deps: OidcIssuersDeps
  readonly #change
  #issuers = new Map<string, Issuer>()

  constructor(deps: OidcIssuersDeps, authenticators: readonly JwtFields[]) {
    this.#deps = deps
    this.#change = wakeUp(deps.clock)
    this.replace(authenticators)
  }

  /** From here on these. A provider that stays as it is keeps what is known of it. */
  replace(authenticators: readonly JwtFields[]): void {
    const { clock, audiences } = this.#deps
    const before = this.#issuers
    this.#issuers = new Map(
      authenticators.map((authenticator) => {
        const { issuer = {} } = authenticator
        const url = issuer.url ?? ''
        const known = before.get(url)?.provider
        const provider = known && isSamePlace(known, issuer) ? known : new OidcProvider(issuer, { clock })
        return [url, { provider, tokens: new OidcTokens(authenticator, { clock, provider, audiences }) }]
      }),
    )
    this.#change.poke()
  }

  async authenticate(token: BearerToken, audiences: readonly string[]): Promise<Verdict | undefined> {
    if (this.#issuers.size === 0) return undefined
    const issuer = token.jwt?.claims['iss']
    return typeof issuer === 'string' ? this.#issuers.get(issuer)?.tokens.authenticate(token, audiences) : undefined
  }

  /** Looks for the providers until all of them are known, and again whenever there are others. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        this.#change.reset()
        const unknown = [...this.#issuers.values()].filter(({ provider }) => !provider.isKnown)
        const found = await Promise.all(unknown.map(({ provider }) => this.#discover(provider)))
        const until = found.every(Boolean) ? undefined : after(this.#deps.clock.now(), retryMs)
        await this.#change.wait(until, signal)
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error
    }
  }

  async #discover(provider: OidcProvider): Promise<boolean> {
    try {
      await provider.discover()
      return true
    } catch (error) {
      this.#deps.log.warn({ err: error, issuer: provider.issuer.url, retryMs }, 'OpenID provider not heard from')
      return false
    }
  }
}

const isSamePlace = ({ issuer }: OidcProvider, other: OidcProvider['issuer']): boolean =>
  isDeepStrictEqual(
    [issuer.discoveryURL, issuer.certificateAuthority],
    [other.discoveryURL, other.certificateAuthority],
  )
