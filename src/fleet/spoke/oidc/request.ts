import type { Clock } from '../../../core/clock.ts'
import { egressDenied } from '../../../core/egress.ts'
import type { Metrics } from '../../../core/metrics.ts'
import { Secret } from '../../../core/secret.ts'
import type { OidcWay } from '../contract.ts'
import type { Discoveries } from './discovery.ts'
import type { IssuerFetch } from './fetch.ts'
import type { Form, Grant } from './grants.ts'
import { expiryOf } from './lifetime.ts'
import type { Problem } from './problem.ts'
import { problemOf } from './problem.ts'

export interface Granted {
  readonly value: Secret
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly refreshToken?: Secret
}

/** No token. Internal: callers of a source see a failure of the catalogue. */
export class NotGranted extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'NotGranted'
    this.problem = problem
  }
}

export interface Asked {
  readonly grant: Grant
  readonly clientSecret?: Secret
  /** Shown by a refresh. */
  readonly refreshToken?: Secret
  readonly form?: Form
}

/** One request to the token endpoint. Throws NotGranted or EGRESS_DENIED, or SPOKE_DISCOVERY_FAILED before anything was sent. */
export type GrantRequest = (way: OidcWay, asked: Asked) => Promise<Granted>

export interface RequestDeps {
  clock: Clock
  metrics: Metrics
  discoveries: Discoveries
  fetches: (ca: string | undefined) => IssuerFetch
}

export function grantRequests({ clock, metrics, discoveries, fetches }: RequestDeps): GrantRequest {
  const total = metrics.counter(
    'lanyard_reach_token_requests_total',
    'Requests for tokens of clusters, by their outcome',
    {
      grant: ['client_credentials', 'refresh_token', 'token_exchange'],
      outcome: ['granted', 'refused', 'failed'],
    },
  )
  return async (way, asked) => {
    const { issuer, issuerCa, clientId } = way
    const { grant } = asked
    const metadata = await discoveries.get(issuer, issuerCa)
    const { tokenBy } = await import('./library.ts')
    const askedAt = clock.now()
    try {
      const answer = await tokenBy(asked, clientId, metadata, fetches(issuerCa))
      total.inc({ grant, outcome: 'granted' })
      return {
        value: Secret.of(answer.access_token),
        issuedAt: askedAt,
        expiresAt: expiryOf(answer, askedAt),
        ...(answer.refresh_token !== undefined && { refreshToken: Secret.of(answer.refresh_token) }),
      }
    } catch (error) {
      const denied = egressDenied(error)
      if (denied) {
        total.inc({ grant, outcome: 'failed' })
        throw denied
      }
      const problem = problemOf(error)
      const isRefusal = problem.kind !== 'faulty' && problem.kind !== 'silent'
      total.inc({ grant, outcome: isRefusal ? 'refused' : 'failed' })
      // The endpoint may have moved.
      if (!isRefusal) discoveries.forget(issuer, issuerCa)
      throw new NotGranted(problem)
    }
  }
}
