import type { Run } from '../../../core/lifecycle.ts'
import type { HubDriver } from '../../drivers/driver.ts'
import type { HubDeps } from '../deps.ts'
import { commonRoles } from './common-roles.ts'
import { membershipController } from './controller.ts'
import { drainWatches } from './drain-watches.ts'
import { shared } from './watches.ts'

/** Who is in, and with which rights: acceptance, denial, deletion, and the repair of whatever drifts. */
export function membershipRuns(deps: HubDeps, drivers: readonly HubDriver[]): Run[] {
  const draining = drainWatches((key) => controller.enqueue(key))
  const controller = membershipController({
    ...deps,
    drivers,
    commonRoles: commonRoles(deps),
    drainWatches: draining,
    removed: new Set(),
    aloneSince: new Map(),
  })
  const run: Run = (signal) => {
    // What all clusters share may be left from a hub that ended after the last of them: no change tells of it.
    controller.enqueue(shared)
    return controller.run(signal)
  }
  return [draining.run, run]
}
