import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { clusterManagerRuns } from './cluster-manager/index.ts'
import type { OperatorDeps } from './deps.ts'
import { klusterletRuns } from './klusterlet/index.ts'
import type { Side } from './manifests/operator.ts'

/** Klusterlets and ClusterManagers into running agents and hubs. Of several replicas only the one that leads runs this. */
export function fleetOperator(given: Omit<OperatorDeps, 'written'>, sides: readonly Side[]): { readonly run: Run } {
  const deps: OperatorDeps = { ...given, written: new Map() }
  const runs = [
    ...(sides.includes('managed-cluster') ? klusterletRuns(deps) : []),
    ...(sides.includes('hub') ? clusterManagerRuns(deps) : []),
  ]
  return { run: (signal) => runTogether(signal, runs) }
}
