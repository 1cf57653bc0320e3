import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Reason } from '../../core/reason.ts'
import type { Credential, Note, OpenSpoke, Spokes, Trust, Way } from '../../fleet/spoke/index.ts'
import { spokeFailures } from '../../fleet/spoke/index.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import { deadline } from '../../kube/deadline.ts'
import { failures as kubeFailures } from '../../kube/failures.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Phase } from './check-failure.ts'
import { whatFailed } from './check-failure.ts'
import type { ReachSettings } from './deps.ts'
import type { Permission } from './permissions.ts'
import { reviewPermissions } from './permissions.ts'

/** What one look at a cluster came to. Plain data. */
export interface CheckResult {
  /** Undefined: the way in works. */
  readonly failure?: CheckFailure
  /** How far the look got: each of these is absent where it ended earlier. */
  readonly by?: Way['by']
  readonly server?: string
  readonly trust?: Pick<Trust, 'source' | 'fingerprint'>
  readonly credential?: Credential
  readonly permissions?: readonly Permission[]
  /** When the cluster last answered 429. */
  readonly throttledAt?: Date
  readonly notes: readonly Note[]
  /** The request for a look that this is the answer to. */
  readonly answers?: string
}

export interface CheckFailure {
  readonly reason: Reason
  readonly code: string
  readonly message: string
  /** The cluster is not called before this many milliseconds are over. */
  readonly pausedMs?: number
  /** It answers, and asks for patience. */
  readonly isThrottled?: boolean
  /** A CA that it shows and nobody confirmed, and the one on record in its place. */
  readonly offered?: { readonly fingerprint: string; readonly onRecord?: string }
}

export interface CheckDeps {
  spokes: Spokes
  clock: Clock
  settings(): Pick<ReachSettings, 'checkDeadlineMs'>
}

const versionDeadlineMs = 5_000

/**
 * Goes the way into a cluster once, to its end or to the first thing that fails. Throws what has no reason: a defect,
 * the hub's own API, or the end of the signal.
 */
export async function checkCluster(
  config: Stored<ClusterConfig>,
  { spokes, clock, settings }: CheckDeps,
  signal: AbortSignal,
): Promise<CheckResult> {
  const cluster = config.metadata.name
  const { checkDeadlineMs } = settings()
  let phase: Phase = 'open'
  let spoke: OpenSpoke | undefined
  const tooLate = () => lateIn(phase, config, spoke, checkDeadlineMs)
  using limit = deadline(clock, checkDeadlineMs, tooLate, signal)
  const seen: { -readonly [Name in keyof CheckResult]: CheckResult[Name] } = { notes: [] }
  const asked = config.metadata.annotations?.[spokeAnnotations.checkRequestedAt]
  if (asked !== undefined) seen.answers = asked
  try {
    spoke = await spokes.open(cluster, { signal: limit.signal })
    Object.assign(seen, factsOf(spoke))
    phase = 'credential'
    seen.credential = await spoke.credential(limit.signal)
    phase = 'call'
    await spoke.kube.request({ path: '/version', signal: limit.signal, deadlineMs: versionDeadlineMs, ahead: true })
    phase = 'review'
    seen.permissions = await reviewPermissions(spoke.kube, limit.signal)
  } catch (error) {
    signal.throwIfAborted()
    if (phase === 'review' && !limit.signal.aborted) throw error
    // What is late by then are the reviews alone: nothing is known of the rights, and the cluster answers.
    if (phase !== 'review') seen.failure = await whatFailed(error, phase, spoke, limit.signal)
    // Whom to trust is asked anew next time: the CA it shows now may have been confirmed before it showed it.
    if (seen.failure?.offered) spokes.forget(cluster)
  }
  const throttledAt = spoke?.throttledAt()
  return { ...seen, ...(throttledAt && { throttledAt }) }
}

const factsOf = ({ by, server, trust, notes }: OpenSpoke) => ({
  ...{ by, server, notes },
  trust: { source: trust.source, ...(trust.fingerprint !== undefined && { fingerprint: trust.fingerprint }) },
})

/** The whole look took too long: what it waited for at that moment is what failed. */
function lateIn(phase: Phase, { metadata, spec }: Stored<ClusterConfig>, spoke: OpenSpoke | undefined, ms: number) {
  const detail = `no answer within ${ms} ms`
  const provider = spec.oidcFromIdentityProvider?.name
  const issuer = spec.oidcAuth?.issuerURL ?? `of IdentityProvider ${provider}`
  if (phase === 'credential' && spoke?.isDiscovering?.())
    return spokeFailures.SPOKE_DISCOVERY_FAILED({ issuer, detail })
  if (phase === 'credential') return spokeFailures.SPOKE_TOKEN_REFUSED({ issuer, grant: 'any grant', detail })
  if (phase !== 'open' && spoke) return spokeFailures.SPOKE_UNREACHABLE({ server: spoke.server, detail })
  return kubeFailures.RECONCILE_DEADLINE({ controller: 'reach-status', key: metadata.name, deadlineMs: ms })
}
