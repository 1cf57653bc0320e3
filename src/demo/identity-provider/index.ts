/**
 * An identity provider for `lanyard up` and the tests: real OpenID Connect on loopback, with token exchange. Machines
 * come with their credentials, people by device code: they pick an account on a page, without any password.
 * `provider.ts` sets the library up, `exchange.ts` is the grant of our own, `login-page.ts` the page.
 */
import type { Server } from 'node:https'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import type { Secret } from '../../core/secret.ts'
import type { OfflineTokenInput } from './offline.ts'
import type { DemoPerson } from './people.ts'
import type { TokenInput } from './provider.ts'
import { makeSigningKey } from './signing-key.ts'

export type { DemoPerson } from './people.ts'
export { accountOf } from './people.ts'
export { makeSigningKey } from './signing-key.ts'

export interface DemoClient {
  id: string
  /** Absent: a public client, which has nothing but refresh tokens, or people. */
  secret?: Secret
  /** Claims of the tokens it gets by its own credentials. `sub` is its id unless given. */
  claims?: Readonly<Record<string, unknown>>
  /** Whether people log in by it, with a device code. */
  forPeople?: boolean
}

export interface IdentityProviderOptions {
  /** Default 127.0.0.1, a free port. */
  host?: string
  port?: number
  /** Its certificate and key, PEM, for that host. */
  certificate: { certPem: string; keyPem: Secret }
  clients: readonly DemoClient[]
  /** Who has an account. Default: nobody. */
  people?: readonly DemoPerson[]
  /** Of access tokens. Default 300. */
  tokenSeconds?: number
  /** RSA, PEM: tokens outlive a restart with the same one, see `makeSigningKey`. Default: a new one. */
  signingKey?: Secret
  clock: Clock
  log?: Log
}

/** Changed in place, they count at once. */
export interface IdentityProviderSettings {
  /** Of access tokens. */
  tokenSeconds: number
  /** Whether a refresh token is good once only, and its answer brings the next one. */
  rotateRefreshTokens: boolean
  /** Whether an answer to client credentials brings a refresh token too. */
  giveRefreshTokens: boolean
}

export interface DemoIdentityProvider extends AsyncDisposable {
  readonly issuer: string
  readonly settings: IdentityProviderSettings
  /** The latest requests to the token endpoint, their forms decoded, newest last. Holds secrets; for tests. */
  readonly requests: readonly Readonly<Record<string, string>>[]
  /** A refresh token as a person would obtain it by hand. */
  offlineToken(input: OfflineTokenInput): Promise<Secret>
  /** As somebody at the desk of the provider would: from here on it is refused. */
  revoke(refreshToken: Secret): Promise<void>
  /** An access token without any request, for who shows one as a subject or an actor. */
  accessToken(input: TokenInput): Promise<Secret>
  /** As if this person had picked their account on the page, for a login that shows this code. For tests. */
  logIn(userCode: string, username: string): Promise<void>
}

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<DemoIdentityProvider> {
  const { host = '127.0.0.1', port = 0, certificate, clients, people = [], clock, log = silentLog } = options
  const signingKey = options.signingKey ?? (await makeSigningKey())
  const settings: IdentityProviderSettings = {
    tokenSeconds: options.tokenSeconds ?? 300,
    rotateRefreshTokens: false,
    giveRefreshTokens: false,
  }
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem.reveal() })
  const issuer = `https://${host.includes(':') ? `[${host}]` : host}:${await listen(server, host, port)}`
  // Only now: whoever only names this file does not pay for a web framework.
  const { createProvider } = await import('./provider.ts')
  const provider = await createProvider({ issuer, clients, people, settings, signingKey, clock, log })
  server.on('request', provider.serve)
  return {
    issuer,
    settings,
    requests: provider.requests,
    offlineToken: provider.offlineToken,
    revoke: provider.revoke,
    accessToken: provider.accessToken,
    logIn: provider.logIn,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const listen = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
