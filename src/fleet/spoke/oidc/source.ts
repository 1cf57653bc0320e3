import type { Clock } from '../../../core/clock.ts'
import type { Secret } from '../../../core/secret.ts'
import { onDemandToken } from '../../on-demand-token.ts'
import type { OidcWay, SecretKey, Token, TokenSource } from '../contract.ts'
import { failures } from '../failures.ts'
import type { Discoveries } from './discovery.ts'
import type { Grant } from './grants.ts'
import { clientCredentialsForm, exchangeForm, mainGrant } from './grants.ts'
import type { Asked, Granted, GrantRequest } from './request.ts'
import { NotGranted } from './request.ts'
import type { RefreshDeps, RefreshToken } from './rotated.ts'
import { refreshTokens, trimmed } from './rotated.ts'

export interface SourceDeps extends RefreshDeps {
  clock: Pick<Clock, 'now'>
  request: GrantRequest
  isDiscovering: Discoveries['isUnderWay']
}

/** One cluster's tokens. */
export function tokenSource(way: OidcWay, deps: SourceDeps): TokenSource {
  const { current, isUnderWay } = onDemandToken(obtainer(way, deps), deps.clock)
  return { current, isDiscovering: () => isUnderWay() && deps.isDiscovering(way.issuer, way.issuerCa) }
}

/** The order of grants: refresh tokens first, those at hand before those that were given, then what else is configured. */
function obtainer(way: OidcWay, deps: SourceDeps): () => Promise<Token> {
  const { request, readSecret } = deps
  const { issuer } = way
  const refreshing = refreshTokens(way, deps)
  const read = async (wanted: SecretKey): Promise<Secret> => {
    const { text, key } = await readSecret(wanted)
    const { field, namespace, name } = wanted
    const problem = `Secret ${namespace}/${name} holds nothing under ${key}`
    if (trimmed(text).reveal() === '') throw failures.SPOKE_INVALID({ field, problem })
    return trimmed(text)
  }

  async function main(grant: Exclude<Grant, 'refresh_token'>, clientSecret: Secret | undefined): Promise<Granted> {
    const { exchange } = way
    const base: Asked = { grant, ...(clientSecret && { clientSecret }) }
    if (!exchange) return request(way, { ...base, form: clientCredentialsForm(way) })
    const subject = await read(exchange.subject)
    const actor = exchange.actor && (await read(exchange.actor))
    const tokens = { subject: subject.reveal(), ...(actor && { actor: actor.reveal() }) }
    return request(way, { ...base, form: exchangeForm(way, exchange, tokens) })
  }

  /** By whichever refresh token serves; else why the last one that was given did not. */
  const byRefresh = (clientSecret: Secret | undefined) => refreshing.inTurn(() => firstThatServes(clientSecret))

  async function firstThatServes(clientSecret: Secret | undefined): Promise<{ granted?: Granted; refused?: string }> {
    let refused: string | undefined
    for await (const token of refreshing.candidates()) {
      const base: Asked = { grant: 'refresh_token', ...(clientSecret && { clientSecret }) }
      try {
        const granted = await request(way, { ...base, refreshToken: token.value })
        await refreshing.served(token, granted.refreshToken)
        return { granted }
      } catch (error) {
        if (!(error instanceof NotGranted) || !leavesOthers(token, error)) throw error
        refreshing.refused(token)
        if (token.from === 'given') refused = error.problem.detail
      }
    }
    return refused === undefined ? {} : { refused }
  }

  async function obtain(): Promise<Token> {
    const clientSecret = way.clientSecret && (await read(way.clientSecret))
    const { granted, refused } = await told('refresh_token', () => byRefresh(clientSecret))
    if (granted) return tokenOf(granted, 'refresh_token')
    const grant = mainGrant(way)
    if (refused !== undefined && (way.fallback === 'None' || grant === undefined))
      throw failures.SPOKE_REFRESH_REFUSED({ issuer, detail: refused })
    if (grant === undefined) throw failures.SPOKE_INVALID({ field: 'clientSecretRef', problem: 'is missing' })
    const other = await told(grant, () => main(grant, clientSecret))
    // Beside a given one that is refused it would hide that, and when the given one is good again.
    refreshing.brought(refused === undefined ? other.refreshToken : undefined)
    return tokenOf(other, grant, refused)
  }

  async function told<T>(grant: Grant, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof NotGranted)) throw error
      throw failures.SPOKE_TOKEN_REFUSED({ issuer, grant, detail: error.problem.detail })
    }
  }

  return obtain
}

/**
 * Whether something else may be tried at once. Not where nobody answers, or where the client itself is refused; and for
 * a token that was given only where that token is: an issuer in trouble does not make it a bad one.
 */
function leavesOthers({ from }: RefreshToken, { problem: { kind } }: NotGranted): boolean {
  return kind === 'grant' || (from === 'own' && (kind === 'request' || kind === 'faulty'))
}

const tokenOf = ({ value, issuedAt, expiresAt }: Granted, grant: Grant, refused?: string): Token => ({
  ...{ value, issuedAt, expiresAt, grant },
  ...(refused !== undefined && { refused }),
})
