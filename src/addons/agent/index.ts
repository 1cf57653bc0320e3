import type { Run } from '../../core/lifecycle.ts'
import type { Passes } from '../../core/pass.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { csrAgentDriver } from '../drivers/csr/agent.ts'
import { tokenAgentDriver } from '../drivers/token/agent.ts'
import type { AddonAgentDeps } from './deps.ts'
import type { Drivers } from './plan.ts'
import { secretPasses } from './secret-passes.ts'
import { addonWork } from './work.ts'

export interface AddonAgent {
  /** Everything for the add-ons of the cluster, while its agent works on this hub. */
  on(joined: JoinedHub): Run
  readonly passes: Passes
}

/** The add-on part of an agent: one credential for each registration of each add-on, and how add-ons are doing. */
export function addonAgent(
  deps: AddonAgentDeps,
  drivers: Drivers = { csr: csrAgentDriver, token: tokenAgentDriver },
): AddonAgent {
  const board = secretPasses(deps.clock)
  return { on: (joined) => addonWork(deps, drivers, joined, board), passes: board.passes }
}
