import { accessDeclarations } from '../access/admission/declarations.ts'
import { accessHubManifests } from '../access/manifests/hub.ts'
import { hubKinds } from '../apis/fleet-kinds.ts'
import type { Manifest } from '../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../fleet/manifests/manifest.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../kube/kinds.ts'
import { reachDeclarations } from '../reach/admission/declarations.ts'
import { reachHubManifests } from '../reach/manifests/hub.ts'
import { registrationDeclarations } from '../registration/admission/declarations.ts'
import { bootstrapManifests } from '../registration/manifests/bootstrap.ts'
import { crdManifests } from '../registration/manifests/crds.ts'
import type { HubInstallation } from '../registration/manifests/hub.ts'
import { hubManifests, hubNamespaceManifest, hubService } from '../registration/manifests/hub.ts'
import type { HubAws } from '../registration/manifests/hub-aws.ts'
import { hubAwsRbacManifests } from '../registration/manifests/hub-aws.ts'
import { hubAccount, hubRbacManifests } from '../registration/manifests/hub-rbac.ts'
import { webhookConfigurations } from '../registration/manifests/webhooks.ts'

export interface InitPlan {
  /** Who may do what. */
  readonly identities: readonly Manifest[]
  readonly crds: readonly Manifest[]
  /** Last: from then on nobody changes a cluster without the hub. */
  readonly webhooks: readonly Manifest[]
  /** Empty where the hub runs elsewhere. */
  readonly hub: readonly Manifest[]
  /** What an earlier init installed and nobody asks for any more: the opposite of what is applied. */
  readonly gone: readonly Manifest[]
}

export interface InitWish {
  namespace: string
  /** Absent: behind the Service of the hub. */
  webhookUrl?: string | undefined
  /** Absent: the hub runs elsewhere. */
  installation?: HubInstallation | undefined
  /** Whether the hub gets into clusters, for which it reads Secrets. Default true. */
  reach?: boolean
  /** Whether people break glass by it; only with reach. Default true. */
  access?: boolean
  /** Where clusters join by AWS IAM. */
  aws?: HubAws | undefined
}

/** All that makes a cluster a hub. @param caPem vouches for the hub's webhooks */
export function planInit(wish: InitWish, caPem: string): InitPlan {
  const { namespace, webhookUrl, installation, reach = true, aws } = wish
  const access = reach && (wish.access ?? true)
  const target = webhookUrl ? { url: webhookUrl } : { service: { namespace, name: hubService } }
  const declarations = [
    ...registrationDeclarations,
    ...(reach ? reachDeclarations : []),
    ...(access ? accessDeclarations : []),
  ]
  const { mutating, validating } = webhookConfigurations(declarations, target, caPem)
  const ofReach = reachHubManifests({ namespace, name: hubAccount })
  const ofAccess = accessHubManifests({ namespace, name: hubAccount })
  const ofAws = hubAwsRbacManifests({ namespace, name: hubAccount })
  const metadata = (name = '') => ({ name, labels: { ...managedBy } })
  return {
    identities: [
      hubNamespaceManifest(namespace),
      ...bootstrapManifests(),
      ...hubRbacManifests(namespace, aws),
      ...(reach ? ofReach : []),
      ...(access ? ofAccess : []),
    ],
    crds: crdManifests(hubKinds, { ...target, caBundle: Buffer.from(caPem).toString('base64') }),
    webhooks: [
      manifest(mutatingWebhookConfigurations, { ...mutating, metadata: metadata(mutating.metadata?.name) }),
      manifest(validatingWebhookConfigurations, { ...validating, metadata: metadata(validating.metadata?.name) }),
    ],
    hub: installation ? hubManifests(installation) : [],
    gone: [...(aws ? [] : ofAws), ...(reach ? [] : ofReach), ...(access ? [] : ofAccess)].toReversed(),
  }
}

/** `Kind namespace/name` of everything, in the order it is applied. */
export const namesIn = ({ identities, crds, webhooks, hub }: InitPlan): string[] =>
  [...identities, ...crds, ...webhooks, ...hub].map(({ object: { kind, metadata } }) =>
    metadata.namespace ? `${kind} ${metadata.namespace}/${metadata.name}` : `${kind} ${metadata.name}`,
  )
