import type { Clock } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Counter, Metrics, Reading } from '../../../core/metrics.ts'

const errorReasons = {
  ADDON_TOKEN_FORBIDDEN: 'Forbidden',
  ADDON_TOKEN_NO_ACCOUNT: 'AccountMissing',
  ADDON_TOKEN_REFUSED: 'LifeRefused',
  ADDON_TOKEN_NOT_ASKED: 'HubUnavailable',
  ADDON_TOKEN_FOREIGN: 'ForeignToken',
  ADDON_TOKEN_NOT_KEPT: 'SecretUnavailable',
  ADDON_TOKEN_NO_NAMESPACE: 'NamespaceMissing',
} as const

type ErrorReason = (typeof errorReasons)[keyof typeof errorReasons] | 'Other'

export interface TokenMetrics {
  /** By this machine's clock; undefined: the add-on has no token any more. */
  expires(cluster: string, addon: string, at: Date | undefined): void
  failed(error: unknown): void
}

/** One for each process: a metric that is read would be read once for each credential that ever was. */
const known = new WeakMap<Metrics, TokenMetrics>()

export function tokenMetrics(metrics: Metrics, clock: Clock): TokenMetrics {
  const made = known.get(metrics) ?? declare(metrics, clock)
  known.set(metrics, made)
  return made
}

function declare(metrics: Metrics, clock: Clock): TokenMetrics {
  const expiries = new Map<string, { cluster: string; addon: string; at: Date }>()
  metrics.readings(
    'lanyard_addons_token_expiry_seconds',
    'Until the token of an add-on expires; below 0 once it has',
    ['cluster', 'addon'],
    function* (): Generator<Reading<'cluster' | 'addon'>> {
      const now = clock.now().getTime()
      for (const { cluster, addon, at } of expiries.values()) yield [{ cluster, addon }, (at.getTime() - now) / 1_000]
    },
  )
  const reason: readonly ErrorReason[] = [...Object.values(errorReasons), 'Other']
  const errors: Counter<{ reason: readonly ErrorReason[] }> = metrics.counter(
    'lanyard_addons_token_refresh_errors_total',
    'Tries to get a token for an add-on that failed, by what was in the way',
    { reason },
  )
  return {
    expires(cluster, addon, at) {
      const key = `${cluster}/${addon}`
      if (at) expiries.set(key, { cluster, addon, at })
      else expiries.delete(key)
    },
    failed: (error) => errors.inc({ reason: reasonOf(error) }),
  }
}

const reasonOf = (error: unknown): ErrorReason =>
  isFailure(error) ? (errorReasons[error.code as keyof typeof errorReasons] ?? 'Other') : 'Other'
