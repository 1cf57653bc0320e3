/** What the hub says to writes of ClusterConfigs and IdentityProviders before they are stored. */
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { AdmissionRequest, AdmissionWebhook } from '../../fleet/admission.ts'
import type { Kube } from '../../kube/kube.ts'
import { decideConfig } from './decide-config.ts'
import { decideProvider } from './decide-provider.ts'
import { declarations } from './declarations.ts'

export { reachDeclarations } from './declarations.ts'

export interface ReachAdmissionDeps {
  /** The hub: whose access reviews, ClusterConfigs and IdentityProviders are asked for. */
  kube: Kube
  /** Whether the installation trusts a CA that it sees first; asked at each write. Default: it does. */
  trustsOnFirstUse?(): boolean
}

export const reachWebhooks = ({ kube, trustsOnFirstUse = () => true }: ReachAdmissionDeps): AdmissionWebhook[] => [
  {
    ...declarations.checkConfigs,
    decide: (request, signal) =>
      decideConfig({ kube, trustsOnFirstUse }, request as AdmissionRequest<ClusterConfig>, signal),
  },
  {
    ...declarations.checkProviders,
    decide: (request, signal) => decideProvider(kube, request as AdmissionRequest<IdentityProvider>, signal),
  },
]
