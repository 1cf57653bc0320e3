/** How people log in: by a device code, so that the browser may be on another machine. */
import { decodeJwt } from 'jose'
import type { TokenEndpointResponse } from 'openid-client'
import {
  Configuration,
  customFetch,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  refreshTokenGrant,
} from 'openid-client'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import { everywhere } from '../core/egress.ts'
import { discoveries, issuerFetches } from '../fleet/spoke/oidc/index.ts'
import type { KeptLogin, KeptProvider } from './access-logins.ts'
import { failures } from './failures.ts'
import { printable } from './printable.ts'

export interface DeviceCode {
  userCode: string
  uri: string
  /** With the code in it, where the provider has one. */
  completeUri?: string | undefined
  expiresInSeconds: number
}

export type Tokens = Pick<KeptLogin, 'bearer' | 'expiresAt' | 'refreshToken'>

const scope = 'openid email profile groups offline_access'

async function configurationOf(provider: KeptProvider, clock: Clock): Promise<Configuration> {
  // From the machine of the person who named the issuer.
  const fetches = issuerFetches({ clock, egress: () => everywhere })
  const metadata = await discoveries({ clock, fetches }).get(provider.issuer, provider.ca)
  const configuration = new Configuration(metadata, provider.clientId, {}, None())
  configuration[customFetch] = fetches(provider.ca)
  return configuration
}

/** Asks for a code, has it shown, and waits until somebody has agreed to it. */
export async function deviceLogin(
  provider: KeptProvider,
  show: (code: DeviceCode) => void,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Tokens> {
  const configuration = await configurationOf(provider, clock)
  if (!configuration.serverMetadata().device_authorization_endpoint)
    throw failures.ACCESS_NO_DEVICE_LOGIN({ provider: provider.name })
  return await told(provider, signal, async () => {
    const begun = await initiateDeviceAuthorization(configuration, { scope })
    show({
      userCode: printable(begun.user_code),
      uri: printable(begun.verification_uri),
      completeUri: begun.verification_uri_complete && printable(begun.verification_uri_complete),
      expiresInSeconds: begun.expires_in,
    })
    const interval = begun.interval ?? pollSeconds
    const answer = await pollDeviceAuthorizationGrant(configuration, { ...begun, interval }, undefined, { signal })
    return tokensIn(answer, provider, clock)
  })
}

/** RFC 8628 has five where the provider does not say; every provider in use is content with less, or slows us down. */
const pollSeconds = 2

/** Undefined where the provider says that the login is over. */
export async function renewedTokens(
  provider: KeptProvider,
  refreshToken: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Tokens | undefined> {
  const configuration = await configurationOf(provider, clock)
  return await told(provider, signal, async () => {
    try {
      const answer = await refreshTokenGrant(configuration, refreshToken)
      const tokens = tokensIn(answer, provider, clock)
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
    } catch (error) {
      if (errorOf(error) === 'invalid_grant') return undefined
      throw error
    }
  })
}

/**
 * The access token where it is for the hub, else the token that says who logged in: many providers put the audience of
 * a client into that one alone.
 */
export function tokensIn(answer: TokenEndpointResponse, provider: KeptProvider, clock: Clock): Tokens {
  const candidates = [answer.access_token, answer.id_token].filter((token) => token !== undefined)
  const bearer = candidates.find((token) => isFor(token, provider.audience))
  if (bearer === undefined)
    throw failures.ACCESS_WRONG_AUDIENCE({ provider: provider.name, audience: provider.audience })
  const { exp } = decodeJwt(bearer)
  const expiresAt = exp === undefined ? after(clock.now(), (answer.expires_in ?? 300) * 1_000) : new Date(exp * 1_000)
  return { bearer, expiresAt: expiresAt.toISOString(), refreshToken: answer.refresh_token }
}

function isFor(token: string, audience: string): boolean {
  try {
    return [decodeJwt(token).aud].flat().includes(audience)
  } catch {
    return false
  }
}

/** The code that a provider answers with, by RFC 6749. */
const errorOf = (error: unknown): string | undefined =>
  error instanceof Error && 'error' in error && typeof error.error === 'string' ? error.error : undefined

/** Errors of the library hold whole answers, tokens included: only what is known to be harmless is told. */
async function told<T>(provider: KeptProvider, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    signal.throwIfAborted()
    const detail = errorOf(error)
    if (detail === undefined) throw error
    throw failures.ACCESS_LOGIN_REFUSED({ provider: provider.name, detail: refusals[detail] ?? detail })
  }
}

const refusals: Readonly<Record<string, string>> = {
  access_denied: 'it was refused there',
  expired_token: 'nobody agreed to it in time',
  unauthorized_client: 'its client may not log people in by device code',
}
