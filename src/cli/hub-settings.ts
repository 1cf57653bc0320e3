import type { GcResource, HubSettings } from '../registration/hub/deps.ts'
import { defaultHubSettings } from '../registration/hub/deps.ts'
import { failures } from './failures.ts'
import { gatesWith, hubGates } from './feature-gates.ts'
import type { HubOptions } from './hub.ts'

type Flags = Pick<
  HubOptions,
  | 'featureGates'
  | 'autoApprovedCsrUsers'
  | 'clusterAutoApprovalUsers'
  | 'gcResourceList'
  | 'labels'
  | 'leaseGraceFactor'
  | 'unjoinGrace'
> & { namespace?: string | undefined }

/** The settings that flags ask for. Throws for what could not be meant. */
export function hubSettingsOf(flags: Flags): HubSettings {
  const gates = gatesWith(hubGates, flags.featureGates)
  const users = [...(flags.autoApprovedCsrUsers ?? []), ...(flags.clusterAutoApprovalUsers ?? [])]
  if (users.length > 0 && !gates.ManagedClusterAutoApproval)
    throw failures.APPROVAL_WITHOUT_GATE({ flag: '--auto-approved-csr-users' })
  const gcResources = flags.gcResourceList?.map(gcResourceOf) ?? defaultHubSettings.gcResources
  return {
    ...defaultHubSettings,
    ...(flags.namespace !== undefined && { namespace: flags.namespace }),
    labels: flags.labels ?? {},
    autoApprovedUsers: gates.ManagedClusterAutoApproval ? users : undefined,
    gcResources: gates.ResourceCleanup ? gcResources : [],
    leaseGraceFactor: flags.leaseGraceFactor,
    unjoinGraceMs: flags.unjoinGrace,
  }
}

function gcResourceOf(text: string): GcResource {
  const [group, version, plural, ...rest] = text.split('/')
  if (!group || !version || !plural || rest.length > 0) throw failures.GC_RESOURCE_INVALID({ text })
  return { group, version, plural }
}
