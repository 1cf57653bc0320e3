import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { Step } from '../../core/step.ts'
import type { SpokeSettings, Spokes } from '../../fleet/spoke/index.ts'
import { createSpokes, spokeView } from '../../fleet/spoke/index.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { readOnly } from '../../kube/read-only.ts'
import { checkCluster } from '../hub/check.ts'
import { statusOf } from '../hub/status-of.ts'
import { clusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { findClusterConfig } from '../overview/read-cluster-configs.ts'
import type { CheckWish } from './check.ts'
import { verdictOn } from './check.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

export interface HereDeps extends ReachOperationDeps {
  random: Random
  log: Log
  settings: SpokeSettings
}

/**
 * The way into a cluster from this machine, with the rights of whoever asks, for as long as `act` takes. Nothing is
 * changed on the hub: what it would write there, it is only told that it cannot. Throws REACH_HERE_SPENDS where a look
 * would use something up.
 */
export async function withSpokesHere<T>(
  config: Stored<ClusterConfig>,
  deps: HereDeps,
  act: (spokes: Spokes) => Promise<T>,
): Promise<T> {
  mustSpendNothing(config)
  const { settings, signal } = deps
  const kube = readOnly(deps.kube)
  // Whoever may not look at Secrets is told so now: what watches them below would ask again and again.
  for await (const _ of kube.of(secrets).metadata.pages({ pageSize: 1, signal })) break
  const view = spokeView(kube, deps)
  const spokes = createSpokes({ ...deps, kube, metrics: noMetrics, view, settings: () => settings })
  const outcome = Promise.withResolvers<T>()
  const acting: Run = async () => outcome.resolve(await act(spokes))
  try {
    await runTogether(signal, [view.run, spokes.run, acting])
  } catch (error) {
    outcome.reject(error)
  }
  signal.throwIfAborted()
  return outcome.promise
}

/** A refresh token whose successor is to be kept is good once. By another grant it would not be the hub's way. */
function mustSpendNothing({ metadata: { name }, spec }: Stored<ClusterConfig>): void {
  const { refreshTokenSecretRef, rotatedRefreshTokenKey } = spec.oidcAuth ?? spec.oidcFromIdentityProvider ?? {}
  if (refreshTokenSecretRef && rotatedRefreshTokenKey) throw failures.REACH_HERE_SPENDS({ name })
}

/** Goes the way into a cluster from this machine. Nothing is written. */
export async function* checkHere({ name, namespace, timeoutMs }: CheckWish, deps: HereDeps): AsyncGenerator<Step> {
  const { kube, clock, signal } = deps
  yield { doing: `going into ${name} from here` }
  const config = await findClusterConfig(kube, name, { signal, namespace })
  const settings = () => ({ checkDeadlineMs: timeoutMs })
  const result = await withSpokesHere(config, deps, (spokes) =>
    checkCluster(config, { spokes, clock, settings }, signal),
  )
  const status = statusOf({ ...config, status: {} }, result, clock.now())
  yield verdictOn(clusterConfigOverview({ ...config, status }), 'this machine')
}
