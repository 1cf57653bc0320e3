import type { ConditionReport } from '../../../core/conditions.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { conditions } from '../../../fleet/names.ts'
import { isForbidden, isNotFound, KubeFailure } from '../../../kube/failures.ts'
import type { Kube } from '../../../kube/kube.ts'
import { pause } from '../../../kube/pause.ts'
import { reasons } from '../../reasons.ts'
import type { MemberDeps } from '../deps.ts'

/** What is known of the API server of the managed cluster. Undefined parts: nothing yet, so what the hub shows stays. */
export interface SpokeHealth {
  available?: ConditionReport
  /** Of Kubernetes. */
  version?: string
}

export interface Examination {
  readonly run: Run
  readonly current: SpokeHealth
  /** Resolves when the server has been asked once. */
  readonly first: Promise<void>
}

/** Shorter failures are blips, such as the restart of an API server, and change nothing. */
const patienceMs = 20_000
const recheckMs = 5_000
/** A server that hangs counts as one that fails. */
const probeMs = 5_000

export const available: ConditionReport = {
  type: conditions.available,
  status: 'True',
  reason: reasons.ManagedClusterAvailable,
  message: 'Managed cluster is available',
}

export const unavailable = (answer: string): ConditionReport => ({
  type: conditions.available,
  status: 'False',
  reason: reasons.ManagedClusterKubeAPIServerUnavailable,
  message: `The API server of the managed cluster has failed for ${patienceMs / 1_000} s and more: ${answer}`,
})

/**
 * Asks the API server again and again how it is. It takes failures all through `patienceMs` to become unavailable, and a
 * single good answer to become available again: the first keeps blips from the hub, and who serves is of use at once.
 * A server that flaps is thus shown as available; it is written at most once every `patienceMs`.
 */
export function examination(
  deps: Pick<MemberDeps, 'spoke' | 'clock' | 'log' | 'settings'>,
  onChange: () => void,
): Examination {
  const { spoke, clock, log, settings } = deps
  let current: SpokeHealth = {}
  /** Counts down from the first failure of a row. */
  let outage: Disposable | undefined
  let isLasting = false
  const first = Promise.withResolvers<void>()

  function note(failure: string | undefined): void {
    if (failure === undefined) {
      outage?.[Symbol.dispose]()
      outage = undefined
      isLasting = false
      current = { ...current, available }
      return
    }
    outage ??= clock.countdown(patienceMs, () => {
      isLasting = true
    })
    // Told once: the next failure of the same outage may read otherwise, and is no news.
    if (isLasting && current.available?.status !== 'False') current = { ...current, available: unavailable(failure) }
  }

  async function look(signal: AbortSignal): Promise<boolean> {
    const [failure, version] = await Promise.all([failureOf(spoke, signal), versionOf(spoke, signal)])
    if (signal.aborted) return true
    const before = current
    const isFirst = outage === undefined
    note(failure)
    if (version !== undefined && version !== current.version) current = { ...current, version }
    first.resolve()
    if (failure !== undefined)
      log[isFirst ? 'info' : 'debug']({ failure, isLasting }, 'API server of the managed cluster fails')
    if (before.available !== current.available || before.version !== current.version) onChange()
    return failure === undefined
  }

  return {
    first: first.promise,
    async run(signal) {
      try {
        while (!signal.aborted) {
          const isWell = await look(signal)
          await pause(clock, isWell ? settings.healthCheckPeriodMs : recheckMs, signal)
        }
      } finally {
        outage?.[Symbol.dispose]()
      }
    },
    get current() {
      return current
    },
  }
}

/** Why it is not well, or undefined. `/healthz` for servers that do not know or do not show `/livez`. */
async function failureOf(spoke: Kube, signal: AbortSignal): Promise<string | undefined> {
  const ask = async (path: string): Promise<unknown> => {
    try {
      await spoke.request({ path, signal, deadlineMs: probeMs })
      return undefined
    } catch (error) {
      return error
    }
  }
  const first = await ask('/livez')
  const last = isNotFound(first) || isForbidden(first) ? await ask('/healthz') : first
  return last === undefined ? undefined : textOf(last)
}

const longestAnswer = 512

function textOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  return (error instanceof KubeFailure ? `${error.code} ${said}` : said).slice(0, longestAnswer)
}

async function versionOf(spoke: Kube, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await spoke.request<{ gitVersion?: string }>({ path: '/version', signal, deadlineMs: probeMs }))?.gitVersion
  } catch {
    // Old news are better than none, and whether the server is well is another question.
    return undefined
  }
}
