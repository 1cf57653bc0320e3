import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Passes } from '../../core/pass.ts'
import { identityProviderController } from '../identity-providers/index.ts'
import { statusController } from './controller.ts'
import type { ReachHubDeps } from './deps.ts'
import { reachPasses } from './passes.ts'

export interface ReachHub {
  /** All controllers. Of several replicas only the one that leads runs this. */
  readonly run: Run
  readonly passes: Passes
}

/** The hub's way into its clusters: whether each works, and what to do where it does not. */
export function reachHub(deps: ReachHubDeps): ReachHub {
  const passes = reachPasses(deps)
  const runs = [statusController(deps, passes).run, identityProviderController(deps).run]
  return { run: (signal) => runTogether(signal, runs), passes }
}
