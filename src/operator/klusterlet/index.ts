import type { Run } from '../../core/lifecycle.ts'
import type { OperatorDeps } from '../deps.ts'
import { availabilityController } from './availability.ts'
import { applyController } from './controller.ts'
import { hubClients } from './hub-clients.ts'
import { hubController } from './hub-controller.ts'
import { klusterletView } from './view.ts'

/** Klusterlets into running agents, on a managed cluster. */
export function klusterletRuns(deps: OperatorDeps): Run[] {
  const view = klusterletView(deps)
  const lookAtHubs: Run = async (signal) => {
    await using clients = hubClients(deps.connect)
    await hubController(deps, view, clients).run(signal)
  }
  return [...view.runs, applyController(deps, view).run, availabilityController(deps, view).run, lookAtHubs]
}
