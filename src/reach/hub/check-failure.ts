import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { OpenSpoke } from '../../fleet/spoke/index.ts'
import { reasonOf, spokeFailures } from '../../fleet/spoke/index.ts'
import { isTooManyRequests, KubeFailure } from '../../kube/failures.ts'
import { wordsOf } from './answer-words.ts'
import type { CheckFailure } from './check.ts'

/** Where a look at a cluster was when something failed: until `call` only the hub's own API answers as Kubernetes does. */
export type Phase = 'open' | 'credential' | 'call' | 'review'

/** What to show of an error. Throws it again where it says nothing of the cluster. */
export async function whatFailed(
  error: unknown,
  phase: Phase,
  spoke: OpenSpoke | undefined,
  signal: AbortSignal,
): Promise<CheckFailure> {
  if (isOfTheHub(error, phase)) throw error
  const shown = phase === 'call' ? await inOtherWords(error, spoke, signal) : error
  const reason = reasonOf(shown)
  if (reason === undefined) throw error
  return {
    reason,
    code: isFailure(shown) ? shown.code : String((shown as KubeFailure).code),
    message: shown instanceof KubeFailure && spoke ? wordsOf(shown, spoke) : (shown as Error).message,
    ...(isFailure(shown, 'SPOKE_PAUSED') && { pausedMs: Number(shown.params['seconds']) * 1_000 }),
    ...(isTooManyRequests(shown) && { isThrottled: true }),
    ...(isFailure(shown) && isAboutCa(shown) && { offered: offerIn(shown) }),
  }
}

function isOfTheHub(error: unknown, phase: Phase): boolean {
  // The opening was given up because something changed on the hub: the next look finds it.
  if (isFailure(error, 'KUBE_CLOSED')) return true
  if (isFailure(error, 'SPOKE_SECRET_UNREADABLE')) return !isRefusal(error.cause)
  return phase !== 'call' && !(isFailure(error) && ofTheWay.test(error.code))
}

/** What was given for it, too: a certificate that cannot be read stays so, however often it is tried. */
const ofTheWay = /^(SPOKE|PKI|EGRESS)_/

/** The hub's API answers, and its answer is no: somebody has to change something. */
const isRefusal = (cause: unknown): boolean => cause instanceof KubeFailure && cause.code < 500 && cause.code !== 429

async function inOtherWords(error: unknown, spoke: OpenSpoke | undefined, signal: AbortSignal): Promise<unknown> {
  // Where there is no time left for another look, the first one has to do.
  if (isFailure(error, 'KUBE_UNTRUSTED')) return (await spoke?.explainDistrust?.(signal).catch(() => error)) ?? error
  if (spoke?.by === 'Kubeconfig' && isFailure(error) && unusable.has(error.code))
    return spokeFailures.SPOKE_KUBECONFIG_UNUSABLE({ detail: error.message }, error)
  return error
}

/** Found out with the first call only. */
const unusable: ReadonlySet<string> = new Set(['KUBE_NO_CREDENTIALS', 'KUBE_BAD_CONNECTION'])

/** It shows a CA that nobody confirmed. */
const isAboutCa = ({ code }: Failure): boolean => code === 'SPOKE_TRUST_CHANGED' || code === 'SPOKE_UNVOUCHED'

const offerIn = ({ params: { fingerprint, offered } }: Failure) => ({
  fingerprint: String(offered),
  ...(fingerprint !== undefined && { onRecord: String(fingerprint) }),
})
