import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Escalation } from '../sessions/contract.ts'

/**
 * Who sends mail about a session: whom the escalation names, else whom the cluster names, else the default. One that is
 * named and is not there, or switched off, is not replaced by another: nobody asked that one.
 */
export function providerFor(
  escalation: Escalation | undefined,
  cluster: ClusterConfig | undefined,
  providers: readonly Stored<MailProvider>[],
): Stored<MailProvider> | undefined {
  const usable = providers.filter(({ spec, metadata }) => spec && !spec.disabled && !metadata.deletionTimestamp)
  const named = escalation?.spec.mailProvider || cluster?.spec.mailProvider
  if (named) return usable.find(({ metadata }) => metadata.name === named)
  // At most one may be it; where admission was passed by, the same one each time.
  return usable.filter(({ spec }) => spec?.default).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0]
}
