import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Change } from '../../kube/store.ts'
import { compilePolicies } from './compile.ts'
import type { CompilePolicies, PolicySet } from './contract.ts'

export interface CompiledPolicies {
  readonly run: Run
  current(): PolicySet | undefined
}

/** At least so long between two compilations, and at least so many times as long as the last one took. */
const leastPauseMs = 20
const pausesEach = 20

/** The first change after a while counts at once; more of them within the pause that follows count together at its end. */
export function compiledPolicies(deps: {
  policies: Informer<DenyPolicy>
  clock: Clock
  log: Log
  compile?: CompilePolicies
}): CompiledPolicies {
  const { policies, clock, log, compile = compilePolicies } = deps
  const wake = wakeUp(clock)
  let set: PolicySet | undefined
  let isFailing = false

  function compileNow(): void {
    try {
      set = compile(policies.list())
      isFailing = false
    } catch (err) {
      // The last set that worked is not used on: what it lacks might be what somebody must not do.
      set = undefined
      if (!isFailing) log.error({ err }, 'deny policies not compiled')
      isFailing = true
    }
  }

  return {
    current: () => (policies.isSynced ? set : undefined),
    async run(signal) {
      using _changes = policies.on((change) => {
        if (isNews(change)) wake.poke()
      })
      try {
        await policies.synced(signal)
        while (!signal.aborted) {
          wake.reset()
          const startedAt = clock.now()
          compileNow()
          const tookMs = Math.max(0, clock.now().getTime() - startedAt.getTime())
          await sleep(clock, Math.max(leastPauseMs, tookMs * pausesEach) - tookMs, signal)
          await wake.wait(undefined, signal)
        }
      } catch (error) {
        if (!isAbort(error, signal)) throw error
      }
    },
  }
}

/** A status that was written is none. */
const isNews = (change: Change<DenyPolicy>): boolean =>
  change.type !== 'updated' ||
  change.object.metadata.generation === undefined ||
  change.object.metadata.generation !== change.previous.metadata.generation
