/**
 * Tokens for clusters that trust an identity provider. `source` decides which grant is asked for and keeps what it
 * brings, `request` asks once, `discovery` knows where; `fetch` is the only way out.
 */
import type { Clock } from '../../../core/clock.ts'
import type { EgressRules } from '../../../core/egress.ts'
import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { OidcWay, SecretKey, SecretValue, TokenSource } from '../contract.ts'
import { discoveries } from './discovery.ts'
import { issuerFetches } from './fetch.ts'
import { grantRequests } from './request.ts'
import { RotatingSecrets } from './rotating-secrets.ts'
import { tokenSource } from './source.ts'

export type { Discoveries, ProviderMetadata } from './discovery.ts'
export { discoveries } from './discovery.ts'
export { issuerFetches } from './fetch.ts'

export interface TokenDeps {
  clock: Clock
  /** Where issuers may be. */
  egress(): EgressRules
  log: Log
  metrics: Metrics
  /** Asked each time: what a Secret holds may change. */
  readSecret(key: SecretKey, signal?: AbortSignal): Promise<SecretValue>
  /**
   * Keeps the successor of a refresh token in the Secret of the first one, under this key. It must not be taken for a
   * change that counts: whoever forgets the source for it has the next source ask for a successor again, without end.
   */
  keepRotated(token: SecretKey, key: string, value: string): Promise<void>
}

export interface TokenSources {
  /**
   * A source of its own for each call; discovery documents, and turns at rotating Secrets, are shared by all. It reads
   * Secrets by `readSecret`, for whoever wants to know what it read. Default: as all do.
   */
  of(way: OidcWay, readSecret?: TokenDeps['readSecret']): TokenSource
}

export function tokenSources(deps: TokenDeps): TokenSources {
  const fetches = issuerFetches(deps)
  const known = discoveries({ ...deps, fetches })
  const request = grantRequests({ ...deps, discoveries: known, fetches })
  const rotating = new RotatingSecrets()
  return {
    of: (way, readSecret = deps.readSecret) =>
      tokenSource(way, { ...deps, readSecret, request, rotating, isDiscovering: known.isUnderWay }),
  }
}
