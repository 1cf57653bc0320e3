import type { ServerMetadata } from 'openid-client'
import type { Clock } from '../../../core/clock.ts'
import { egressDenied } from '../../../core/egress.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Metrics } from '../../../core/metrics.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'
import { failures } from '../failures.ts'
import { whyNoIssuer, whyUnfit } from './endpoint-rules.ts'
import type { IssuerFetch } from './fetch.ts'
import { problemOf } from './problem.ts'
import { unlessAborted } from './unless-aborted.ts'

/** What an issuer says of itself, and keeps to the rules: its token endpoint is its own. */
export type ProviderMetadata = ServerMetadata & { readonly token_endpoint: string }

export interface Discoveries {
  /**
   * Shared by all who name the same issuer and the same CA, and asked for once for all who wait. Throws
   * SPOKE_DISCOVERY_FAILED or EGRESS_DENIED. The signal ends the waiting of this caller only.
   */
  get(issuer: string, ca: string | undefined, signal?: AbortSignal): Promise<ProviderMetadata>
  /** Whether somebody waits for the document. */
  isUnderWay(issuer: string, ca: string | undefined): boolean
  /** For when its token endpoint is not what it should be: it is asked again. */
  forget(issuer: string, ca: string | undefined): void
}

export interface DiscoveryDeps {
  clock: Pick<Clock, 'now' | 'countdown'>
  metrics?: Metrics
  fetches: (ca: string | undefined) => IssuerFetch
}

/** How long a document is good. Endpoints hardly ever move; a wrong one is forgotten when it fails. */
const keptMs = 3_600_000
const mostKept = 1_000

export function discoveries({ clock, metrics = noMetrics, fetches }: DiscoveryDeps): Discoveries {
  const total = metrics.counter(
    'lanyard_reach_discoveries_total',
    'Discovery documents of issuers, by what came of it',
    {
      outcome: ['found', 'failed'],
    },
  )
  const kept = new BoundedMap<string, { document: ProviderMetadata; at: number }>(mostKept)
  const underWay = new Map<string, Promise<ProviderMetadata>>()

  async function discover(key: string, issuer: string, ca: string | undefined): Promise<ProviderMetadata> {
    try {
      const document = await documentOf(issuer, fetches(ca))
      kept.set(key, { document, at: clock.now().getTime() })
      total.inc({ outcome: 'found' })
      return document
    } catch (error) {
      total.inc({ outcome: 'failed' })
      throw error
    } finally {
      underWay.delete(key)
    }
  }

  return {
    get(issuer, ca, signal) {
      const key = keyOf(issuer, ca)
      const known = kept.get(key)
      if (known && isWithin(clock.now().getTime() - known.at, keptMs)) return Promise.resolve(known.document)
      const asking = underWay.get(key) ?? discover(key, issuer, ca)
      if (!underWay.has(key)) underWay.set(key, asking)
      // Whoever asked may have given up since.
      asking.catch(() => {})
      return unlessAborted(asking, signal)
    },
    isUnderWay: (issuer, ca) => underWay.has(keyOf(issuer, ca)),
    forget: (issuer, ca) => kept.delete(keyOf(issuer, ca)),
  }
}

const keyOf = (issuer: string, ca: string | undefined): string => `${issuer}\n${ca ?? ''}`

const isWithin = (elapsedMs: number, limitMs: number): boolean => elapsedMs >= 0 && elapsedMs < limitMs

async function documentOf(issuer: string, fetch: IssuerFetch): Promise<ProviderMetadata> {
  try {
    const flaw = whyNoIssuer(issuer)
    if (flaw !== undefined) throw failures.SPOKE_DISCOVERY_FAILED({ issuer, detail: flaw })
    const { documentAt } = await import('./library.ts')
    const document = await documentAt(issuer, fetch)
    const unfit = whyUnfit(issuer, document)
    if (unfit !== undefined) throw failures.SPOKE_DISCOVERY_FAILED({ issuer, detail: unfit })
    return document as ProviderMetadata
  } catch (error) {
    if (isFailure(error)) throw error
    const denied = egressDenied(error)
    if (denied) throw denied
    throw failures.SPOKE_DISCOVERY_FAILED({ issuer, detail: problemOf(error).detail })
  }
}
