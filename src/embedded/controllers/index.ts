/** What keeps a cluster in order besides answering requests. None of it acts on pods. */
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Controller } from '../../kube/controller.ts'
import { accountTokens } from './account-tokens.ts'
import { bootstrapSigner } from './bootstrap-signer.ts'
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import { csrApprover } from './csr-approver.ts'
import { csrCleaner } from './csr-cleaner.ts'
import { csrSigner } from './csr-signer.ts'
import type { ControllerDeps } from './deps.ts'
import { eventTtl } from './event-ttl.ts'
import { garbageCollector } from './garbage-collector.ts'
import type { Informers } from './informers.ts'
import { informers } from './informers.ts'
import { namespaceController } from './namespaces.ts'
import { rootCaPublisher } from './root-ca-publisher.ts'
import type { ControllerName } from './selection.ts'
import { selectedControllers } from './selection.ts'
import { serviceAccountController } from './service-accounts.ts'
import { tokenCleaner } from './token-cleaner.ts'

export { ensureClusterInfo } from './cluster-info.ts'
export type { ControllerDeps } from './deps.ts'
export { failures as controllerFailures } from './failures.ts'

const make: Record<ControllerName, (deps: ControllerDeps, informers: Informers) => Controller> = {
  'serviceaccount-controller': serviceAccountController,
  'serviceaccount-token-controller': accountTokens,
  'root-ca-certificate-publisher-controller': rootCaPublisher,
  'namespace-controller': namespaceController,
  'garbage-collector-controller': garbageCollector,
  'certificatesigningrequest-signing-controller': csrSigner,
  'certificatesigningrequest-approving-controller': csrApprover,
  'certificatesigningrequest-cleaner-controller': csrCleaner,
  'clusterrole-aggregation-controller': clusterRoleAggregation,
  'bootstrap-signer-controller': bootstrapSigner,
  'token-cleaner-controller': tokenCleaner,
}

/**
 * Those that are selected, as kube-controller-manager takes it: `*`, a name, a name with a minus. Throws for a name that
 * is none. The end of events is the API server's own affair in Kubernetes, so it is here whatever is selected.
 */
export function controllers(deps: ControllerDeps, selection: readonly string[]): Run {
  const followed = informers(deps)
  const made = selectedControllers(selection).map((name) => make[name](deps, followed))
  const runs = [eventTtl(deps), ...followed.runs(), ...made.map(({ run }) => run)]
  return (signal) => runTogether(signal, runs)
}
