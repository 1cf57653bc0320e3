import { pastOf, sleep } from '../../../core/clock.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { KubeFailure } from '../../../kube/failures.ts'
import type { HubDeps } from '../deps.ts'

/** Whether the hub itself can hear: who has lost its own API server must not take the silence for that of the clusters. */
export interface Contact {
  /** Since when nothing stands between the hub and its API server; the present while something does. */
  since(): Date
  /** When it was last found again after a loss. */
  regainedAt(): Date | undefined
  /** Each run counts anew: what happened before it nobody heard. */
  readonly run: Run
}

const everyMs = 10_000
const deadlineMs = 8_000

export function contact({ kube, clock, log }: Pick<HubDeps, 'kube' | 'clock' | 'log'>): Contact {
  let since = clock.now()
  let regainedAt: Date | undefined
  let isLost = false

  async function probe(signal: AbortSignal): Promise<void> {
    const problem = await answers(kube, signal)
    if (problem === undefined && isLost) {
      since = regainedAt = clock.now()
      log.info({ since }, 'API server is back, leases are counted anew')
    }
    if (problem !== undefined && !isLost)
      log.warn({ err: problem }, 'API server does not answer, leases are not judged meanwhile')
    isLost = problem !== undefined
  }

  return {
    since() {
      since = pastOf(clock, since)
      return isLost ? clock.now() : since
    },
    regainedAt() {
      regainedAt &&= pastOf(clock, regainedAt)
      return regainedAt
    },
    async run(signal) {
      since = clock.now()
      isLost = false
      while (!signal.aborted) {
        await sleep(clock, everyMs, signal)
        await probe(signal)
      }
    },
  }
}

/** `/readyz`, not `/version`: an API server without its store answers the latter. A refusal is an answer too. */
async function answers(kube: HubDeps['kube'], signal: AbortSignal): Promise<unknown> {
  try {
    await kube.request({ path: '/readyz', accept: '*/*', signal, deadlineMs })
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof KubeFailure && error.code < 500 && error.code !== 429 ? undefined : error
  }
}
