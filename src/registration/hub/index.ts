import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Passes } from '../../core/pass.ts'
import type { AdmissionWebhook } from '../../fleet/admission.ts'
import type { Informer } from '../../kube/informer.ts'
import { registrationWebhooks } from '../admission/index.ts'
import { csrHubDriver } from '../drivers/csr/hub.ts'
import type { HubDriver } from '../drivers/driver.ts'
import { autoAcceptanceController } from './auto-acceptance.ts'
import type { HubDeps } from './deps.ts'
import { contact } from './health/contact.ts'
import { healthRuns } from './health/index.ts'
import { awaitsFirstWrite } from './membership/first-write.ts'
import { membershipRuns } from './membership/index.ts'
import { registrationMetrics } from './metrics.ts'
import { registrationPasses } from './passes.ts'
import { setRuns } from './sets/index.ts'
import { hubView } from './view.ts'

export interface RegistrationHub {
  /** All controllers. Of several replicas only the one that leads runs this. */
  readonly run: Run
  /** Served by every replica. */
  readonly webhooks: readonly AdmissionWebhook[]
  readonly passes: Passes
  /** Every cluster, watched while this runs: for other jobs of the hub. */
  readonly clusters: Informer<ManagedCluster>
}

/** Makes the hub's half of a way to join, once the hub's informers are there. */
export type HubDriverFactory = (deps: HubDeps) => HubDriver

/** The hub's side of the join: who is in, with which rights, and how they are doing. */
export function registrationHub(
  given: Omit<HubDeps, 'view'>,
  ways: readonly HubDriverFactory[] = [csrHubDriver],
): RegistrationHub {
  const view = hubView(given.kube, given)
  const deps: HubDeps = { ...given, view, contact: contact(given) }
  const drivers = ways.map((driver) => driver(deps))
  const passes = registrationPasses(deps)
  registrationMetrics(deps)
  const runs = [
    view.run,
    passes.run,
    ...drivers.map(({ run }) => run),
    autoAcceptanceController(deps, drivers).run,
    ...membershipRuns(deps, drivers),
    ...healthRuns(deps, (cluster) => awaitsFirstWrite(cluster, deps.settings)),
    ...setRuns(deps),
  ]
  return {
    run: (signal) => runTogether(signal, runs),
    webhooks: registrationWebhooks(deps),
    passes,
    clusters: view.clusters,
  }
}
