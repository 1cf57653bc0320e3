import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import { clusterFinalizerController } from './cluster-finalizer.ts'
import type { SessionClockDeps } from './session-clock.ts'
import { sessionClock } from './session-clock.ts'
import { statusControllers } from './status-controllers.ts'

/** Time passes for sessions, clusters go, and the objects of people are looked over. */
export function accessControllers(deps: SessionClockDeps): { readonly run: Run } {
  const runs = [sessionClock(deps).run, clusterFinalizerController(deps).run, ...statusControllers(deps)]
  return { run: (signal) => runTogether(signal, runs) }
}
