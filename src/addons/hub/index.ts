import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Passes } from '../../core/pass.ts'
import { addonCsrController } from '../drivers/csr/hub.ts'
import { tokenInfrastructure } from '../drivers/token/hub.ts'
import type { AddonHubDeps } from './deps.ts'
import { addonHealth } from './health.ts'
import { addonPasses } from './passes.ts'
import { addonHubView } from './view.ts'

export interface AddonsHub {
  /** All controllers. Of several replicas only the one that leads runs this. */
  readonly run: Run
  readonly passes: Passes
}

/** The hub's side of add-ons: their accounts, their certificate requests, and how they are doing. */
export function addonsHub(given: Omit<AddonHubDeps, 'view'>): AddonsHub {
  const deps: AddonHubDeps = { ...given, view: addonHubView(given.kube, given) }
  const passes = addonPasses(deps)
  const runs = [
    deps.view.run,
    passes.run,
    tokenInfrastructure(deps).run,
    addonCsrController(deps).run,
    ...addonHealth(deps),
  ]
  return { run: (signal) => runTogether(signal, runs), passes }
}
