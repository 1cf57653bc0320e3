import { hostname } from 'node:os'
import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import type { Step } from '../core/step.ts'
import { leading } from '../kube/election.ts'
import { isAlreadyExists, isForbidden } from '../kube/failures.ts'
import { namespaces } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'

export interface ProcessDeps {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
}

const retryMs = 2_000

export interface ElectionFlags {
  leaderElection: boolean
  leaderElectLeaseDuration: number
  leaderElectRenewDeadline: number
  leaderElectRetryPeriod: number
}

/** Runs while this process leads, or at once where there is no election. */
export function underElection(
  kube: Kube,
  { namespace, name, flags }: { namespace: string; name: string; flags: ElectionFlags },
  deps: ProcessDeps,
  run: Run,
): Run {
  if (!flags.leaderElection) return run
  const lead = leading(
    kube,
    {
      ...deps,
      namespace,
      name,
      identity: hostname(),
      leaseDurationMs: flags.leaderElectLeaseDuration,
      renewDeadlineMs: flags.leaderElectRenewDeadline,
      retryPeriodMs: flags.leaderElectRetryPeriod,
    },
    run,
  )
  return async (signal) => {
    await ensureNamespace(kube, namespace, deps, signal)
    if (!signal.aborted) await lead(signal)
  }
}

/** A lease needs a namespace, and nobody promised that there is one. Asked for until the API server answers. */
async function ensureNamespace(kube: Kube, name: string, { clock, log }: ProcessDeps, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      if (await kube.of(namespaces).find(name, { signal })) return
      await kube.of(namespaces).create({ metadata: { name } }, { signal })
      return
    } catch (error) {
      // Whoever may not look at namespaces, as an agent, has been given one.
      if (isAlreadyExists(error) || isForbidden(error)) return
      if (signal.aborted) return
      log.warn({ err: error, namespace: name }, 'the namespace of the lease could not be looked at')
      await sleep(clock, retryMs, signal).catch(() => {})
    }
  }
}

export interface AnsweringDeps {
  server: string
  show(step: Step): void
  clock: Clock
  log: Log
  /** Throws, and ends it all, for a version of the API server that this process is not for. Nobody is told that one. */
  check?(gitVersion: string): void | Promise<void>
}

/** Says when the API server answers, and until then why not; `isThere` tells the same to whoever asks. */
export function untilItAnswers(
  kube: Kube,
  { server, show, clock, log, check }: AnsweringDeps,
): { run: Run; isThere(): boolean; version(): Promise<string> } {
  let answers = false
  const version = Promise.withResolvers<string>()
  // Nobody may be waiting for it.
  version.promise.catch(() => {})
  const checked = async (gitVersion: string) => {
    await check?.(gitVersion)
    return gitVersion
  }
  const run: Run = async (signal) => {
    let told = false
    while (!signal.aborted && !answers) {
      try {
        const { gitVersion } = await kube.request<{ gitVersion: string }>({ path: '/version', signal })
        answers = true
        version.resolve(checked(gitVersion))
        show({ did: 'the API server answers', detail: `${server}, ${gitVersion}` })
      } catch (error) {
        if (signal.aborted) break
        if (!told) show({ doing: `waiting for ${server}` })
        told = true
        log.warn({ err: error, server }, 'the API server does not answer')
        await sleep(clock, retryMs, signal).catch(() => {})
      }
    }
    if (!answers) version.reject(signal.reason)
    // Throws what the check threw, which whoever waits for the version gets as well.
    else await version.promise
    await aborted(signal)
  }
  return { run, isThere: () => answers, version: () => version.promise }
}
