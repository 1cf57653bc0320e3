import { hubKinds } from '../../apis/fleet-kinds.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../kube/kinds.ts'
import { registrationDeclarations } from '../../registration/admission/index.ts'
import { bootstrapManifests } from '../../registration/manifests/bootstrap.ts'
import { crdManifests } from '../../registration/manifests/crds.ts'
import type { HubInstallation } from '../../registration/manifests/hub.ts'
import { hubManifests, hubService } from '../../registration/manifests/hub.ts'
import { hubRbacManifests } from '../../registration/manifests/hub-rbac.ts'
import type { Manifest } from '../../registration/manifests/manifest.ts'
import { managedBy, manifest } from '../../registration/manifests/manifest.ts'
import { webhookConfigurations } from '../../registration/manifests/webhooks.ts'

export interface HubParts {
  readonly rights: readonly Manifest[]
  /** The kinds; they stay when the hub goes, because all that is of them would go with them. */
  readonly kinds: readonly Manifest[]
  readonly workloads: readonly Manifest[]
  /** Last: from then on nobody changes a cluster without the hub. */
  readonly webhooks: readonly Manifest[]
}

/** All that makes a cluster a hub, but for its namespaces and its CA. @param caPem vouches for its webhooks */
export function hubParts(installation: HubInstallation, caPem: string): HubParts {
  const { namespace } = installation
  const target = { service: { namespace, name: hubService } }
  const { mutating, validating } = webhookConfigurations(registrationDeclarations, target, caPem)
  const metadata = (name = '') => ({ name, labels: { ...managedBy } })
  return {
    rights: [...bootstrapManifests(), ...hubRbacManifests(namespace)].filter(
      ({ object }) => object.kind !== 'Namespace',
    ),
    kinds: crdManifests(hubKinds, { ...target, caBundle: Buffer.from(caPem).toString('base64') }),
    workloads: hubManifests(installation),
    webhooks: [
      manifest(mutatingWebhookConfigurations, { ...mutating, metadata: metadata(mutating.metadata?.name) }),
      manifest(validatingWebhookConfigurations, { ...validating, metadata: metadata(validating.metadata?.name) }),
    ],
  }
}
