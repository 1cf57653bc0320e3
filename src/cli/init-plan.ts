import { hubKinds } from '../apis/fleet-kinds.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../kube/kinds.ts'
import { registrationDeclarations } from '../registration/admission/declarations.ts'
import { bootstrapManifests } from '../registration/manifests/bootstrap.ts'
import { crdManifests } from '../registration/manifests/crds.ts'
import type { HubInstallation } from '../registration/manifests/hub.ts'
import { hubManifests, hubNamespaceManifest, hubService } from '../registration/manifests/hub.ts'
import { hubRbacManifests } from '../registration/manifests/hub-rbac.ts'
import type { Manifest } from '../registration/manifests/manifest.ts'
import { managedBy, manifest } from '../registration/manifests/manifest.ts'
import { webhookConfigurations } from '../registration/manifests/webhooks.ts'

export interface InitPlan {
  /** Who may do what. */
  readonly identities: readonly Manifest[]
  readonly crds: readonly Manifest[]
  /** Last: from then on nobody changes a cluster without the hub. */
  readonly webhooks: readonly Manifest[]
  /** Empty where the hub runs elsewhere. */
  readonly hub: readonly Manifest[]
}

export interface InitWish {
  namespace: string
  /** Absent: behind the Service of the hub. */
  webhookUrl?: string | undefined
  /** Absent: the hub runs elsewhere. */
  installation?: HubInstallation | undefined
}

/** All that makes a cluster a hub. @param caPem vouches for the hub's webhooks */
export function planInit({ namespace, webhookUrl, installation }: InitWish, caPem: string): InitPlan {
  const target = webhookUrl ? { url: webhookUrl } : { service: { namespace, name: hubService } }
  const { mutating, validating } = webhookConfigurations(registrationDeclarations, target, caPem)
  const metadata = (name = '') => ({ name, labels: { ...managedBy } })
  return {
    identities: [hubNamespaceManifest(namespace), ...bootstrapManifests(), ...hubRbacManifests(namespace)],
    crds: crdManifests(hubKinds, { ...target, caBundle: Buffer.from(caPem).toString('base64') }),
    webhooks: [
      manifest(mutatingWebhookConfigurations, { ...mutating, metadata: metadata(mutating.metadata?.name) }),
      manifest(validatingWebhookConfigurations, { ...validating, metadata: metadata(validating.metadata?.name) }),
    ],
    hub: installation ? hubManifests(installation) : [],
  }
}

/** `Kind namespace/name` of everything, in the order it is applied. */
export const namesIn = ({ identities, crds, webhooks, hub }: InitPlan): string[] =>
  [...identities, ...crds, ...webhooks, ...hub].map(({ object: { kind, metadata } }) =>
    metadata.namespace ? `${kind} ${metadata.namespace}/${metadata.name}` : `${kind} ${metadata.name}`,
  )
