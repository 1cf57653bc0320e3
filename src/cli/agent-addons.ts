import type { AddonSettings } from '../addons/agent/deps.ts'
import { defaultAddonSettings } from '../addons/agent/deps.ts'
import type { AgentOptions } from './agent.ts'
import { agentGates, gatesWith } from './feature-gates.ts'

/** What the agent does for add-ons. Undefined while the gate AddonManagement is off. */
export function addonSettingsOf(flags: AgentOptions, namespace: string): AddonSettings | undefined {
  if (!gatesWith(agentGates, flags.featureGates).AddonManagement) return undefined
  return {
    ...defaultAddonSettings,
    namespace,
    hubKubeconfigSecret: flags.hubKubeconfigSecret,
    kubeClientDriver: flags.addonKubeclientRegistrationAuth,
    tokenExpirationSeconds: flags.addonTokenExpirationSeconds,
    leaseCheckMs: flags.addonLeaseCheckPeriod,
    leaseDurationSeconds: flags.addonLeaseDurationSeconds,
    resyncMs: flags.resyncPeriod,
  }
}
