import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Step } from '../../core/step.ts'
import { clusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { howToOffer } from '../overview/pending-asks.ts'
import { findClusterConfig } from '../overview/read-cluster-configs.ts'
import { isAnswered, requestCheck } from './check.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

export interface UntilReady {
  name: string
  namespace?: string | undefined
  timeoutMs: number
  /** Not there yet is no mistake: the hub makes it. */
  mayCome?: boolean
}

const everyMs = 250

/** Ends when the hub gets into the cluster; tells what it waits for meanwhile, and when it gives up. */
export async function* untilReady(asked: UntilReady, deps: ReachOperationDeps): AsyncGenerator<Step> {
  const { name, timeoutMs } = asked
  const { clock, signal } = deps
  const giveUpAt = clock.now().getTime() + timeoutMs
  // What the status says may be of what was there before: another Secret leaves the ClusterConfig as it is.
  if (!asked.mayCome)
    await requestCheck(
      (await findClusterConfig(deps.kube, name, { signal, namespace: asked.namespace })).metadata,
      deps,
    )
  let told: string | undefined
  for (;;) {
    const state = await stateOf(asked, deps)
    if ('did' in state) return yield state
    if (state.waits !== told) yield { doing: `${name}: ${state.waits}` }
    told = state.waits
    if (clock.now().getTime() > giveUpAt) {
      const seconds = Math.round(timeoutMs / 1_000)
      throw state.isAsked
        ? failures.REACH_NOT_HANDED_OVER({ name, seconds })
        : failures.REACH_NOT_READY({ name, seconds, detail: state.waits })
    }
    await sleep(clock, everyMs, signal)
  }
}

async function stateOf(
  { name, namespace, mayCome = false }: UntilReady,
  { kube, signal }: ReachOperationDeps,
): Promise<Extract<Step, { did: string }> | { waits: string; isAsked?: boolean }> {
  try {
    const config = await findClusterConfig(kube, name, { signal, namespace })
    const { ready, reason, message, server = '', permissions } = clusterConfigOverview(config)
    if (ready !== 'True' || !isAnswered(config))
      return {
        waits:
          reason === undefined || !isAnswered(config)
            ? 'the hub has to look; if that lasts, see whether `lanyard hub` runs and its gate Reach is on'
            : `${reason}: ${message}`,
      }
    const lacks = permissions === 'False' ? `; it lacks rights there, see \`lanyard reach rbac ${name}\`` : ''
    return { did: `the hub gets into ${name}`, detail: `${reason}, ${server}${lacks}` }
  } catch (error) {
    if (!mayCome || !isFailure(error, 'REACH_UNKNOWN')) throw error
    return { waits: `its agent has not handed over a way in; it does after ${howToOffer}`, isAsked: true }
  }
}
