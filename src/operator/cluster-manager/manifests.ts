import { accessDeclarations } from '../../access/admission/declarations.ts'
import { accessHubBindings } from '../../access/manifests/hub.ts'
import { hubKinds } from '../../apis/fleet-kinds.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../kube/kinds.ts'
import { reachDeclarations } from '../../reach/admission/declarations.ts'
import { reachHubBinding } from '../../reach/manifests/hub.ts'
import { registrationDeclarations } from '../../registration/admission/declarations.ts'
import { bootstrapManifests } from '../../registration/manifests/bootstrap.ts'
import { crdManifests } from '../../registration/manifests/crds.ts'
import type { HubInstallation } from '../../registration/manifests/hub.ts'
import { hubManifests, hubService } from '../../registration/manifests/hub.ts'
import { hubAccount, hubRbacManifests } from '../../registration/manifests/hub-rbac.ts'
import { webhookConfigurations } from '../../registration/manifests/webhooks.ts'
import { isAwsAuthRole } from '../manifests/aws-auth.ts'

export interface HubParts {
  readonly rights: readonly Manifest[]
  /** The kinds; they stay when the hub goes, because all that is of them would go with them. */
  readonly kinds: readonly Manifest[]
  readonly workloads: readonly Manifest[]
  /** Last: from then on nobody changes a cluster without the hub. */
  readonly webhooks: readonly Manifest[]
}

export interface InstalledHub extends HubInstallation {
  /** Whether it gets into clusters, for which it reads Secrets. Default true. */
  reach?: boolean
  /** Whether people break glass by it; only with reach. Default true. */
  access?: boolean
}

/**
 * All that makes a cluster a hub, but for its namespaces, its CA and the roles it reads Secrets and keeps aws-auth by:
 * those come with the operator, which may bind them and does not have what is in them. @param caPem vouches for its webhooks
 */
export function hubParts({ reach = true, access = true, ...installation }: InstalledHub, caPem: string): HubParts {
  const { namespace, aws } = installation
  const target = { service: { namespace, name: hubService } }
  const declarations = [
    ...registrationDeclarations,
    ...(reach ? reachDeclarations : []),
    ...(reach && access ? accessDeclarations : []),
  ]
  const { mutating, validating } = webhookConfigurations(declarations, target, caPem)
  const account = { namespace, name: hubAccount }
  const ofReach = reach ? [reachHubBinding(account)] : []
  const ofAccess = reach && access ? accessHubBindings(account) : []
  const metadata = (name = '') => ({ name, labels: { ...managedBy } })
  return {
    rights: [...bootstrapManifests(), ...hubRbacManifests(namespace, aws), ...ofReach, ...ofAccess].filter(
      (one) => one.object.kind !== 'Namespace' && !isAwsAuthRole(one),
    ),
    kinds: crdManifests(hubKinds, { ...target, caBundle: Buffer.from(caPem).toString('base64') }),
    workloads: hubManifests(installation),
    webhooks: [
      manifest(mutatingWebhookConfigurations, { ...mutating, metadata: metadata(mutating.metadata?.name) }),
      manifest(validatingWebhookConfigurations, { ...validating, metadata: metadata(validating.metadata?.name) }),
    ],
  }
}
