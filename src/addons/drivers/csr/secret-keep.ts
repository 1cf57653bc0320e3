import { createHash } from 'node:crypto'
import type { Keep } from '../../../core/pass.ts'
import { certificateKeep } from '../../../fleet/csr/certificate-keep.ts'
import type { CertifiedIdentity } from '../../../fleet/csr/issuance.ts'
import { isSameSubject } from '../../../fleet/csr/request.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { formatHubKubeconfig, hubAnnotation, hubIdentity } from '../../../fleet/hub-stanza.ts'
import { writeSecret } from '../../../fleet/secret-texts.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { RegistrationItem } from '../../registrations.ts'
import { addonOrder, addonRequestLabels, hasOnlyOwnNames } from './order.ts'

/** A certificate as it was found, with the text beside it that can be made again without asking anybody. */
export interface AddonMaterial extends CertifiedIdentity {
  readonly kubeconfig: string | undefined
}

export interface AddonKeepOptions {
  /** The managed cluster. */
  spoke: Kube
  item: RegistrationItem
  hub: HubStanza
}

/** What the token driver leaves in the same Secret. It goes with the write that brings the certificate. */
const keysOfTokens = { token: null, expiration: null, 'service-account-uid': null }

/**
 * The Secret of an item. A certificate counts only if it is of this hub, for this subject and, where the hub signs, in no other name. The
 * kubeconfig beside it follows the hub's address, CA and proxy without a new certificate.
 */
export function addonSecretKeep({ spoke, item, hub }: AddonKeepOptions): Keep<AddonMaterial> {
  const { cluster, addon, type, secret } = item
  const order = addonOrder(item)
  const kubeconfig = wantedKubeconfig(item, hub)
  const labels = addonRequestLabels(cluster, addon)
  const keep = certificateKeep<AddonMaterial>({
    kube: spoke,
    ...secret,
    labels,
    facts: passFacts(item, hub),
    annotations: { [hubAnnotation]: hubIdentity(hub) },
    order: orderDigest(item, hub),
    materialIn({ text, annotation }, identity, certificate) {
      const isOurs =
        text('cluster-name') === cluster &&
        annotation(hubAnnotation) === hubIdentity(hub) &&
        isSameSubject(certificate.subject, order.subject) &&
        // What else another signer puts in is its own business.
        (type === 'customSigner' || hasOnlyOwnNames(addon, certificate.sans))
      return isOurs ? { ...identity, kubeconfig: text('kubeconfig') } : undefined
    },
    textsOf: () => ({
      'cluster-name': cluster,
      ...(type === 'kubeClient' && { ...keysOfTokens, kubeconfig: kubeconfig ?? null }),
    }),
  })
  return {
    ...keep,
    async load() {
      const loaded = await keep.load()
      if (!loaded.kept || kubeconfig === undefined || loaded.kept.material.kubeconfig === kubeconfig) return loaded
      await writeSecret(spoke, secret.namespace, secret.name, { kubeconfig })
      return { ...loaded, kept: { ...loaded.kept, material: { ...loaded.kept.material, kubeconfig } } }
    },
  }
}

/** Stands for all that a request of an item asks for, and of which hub. */
export function orderDigest(item: RegistrationItem, hub: HubStanza): string {
  const { subject, signer } = addonOrder(item)
  return createHash('sha256')
    .update(JSON.stringify([subject, signer, hubIdentity(hub)]))
    .digest('hex')
    .slice(0, 32)
}

/** Only what is good for the hub's own API gets one. */
export const wantedKubeconfig = ({ type }: RegistrationItem, hub: HubStanza): string | undefined =>
  type === 'kubeClient' ? formatHubKubeconfig(hub) : undefined

/** What the ledger knows of a certificate of an add-on. */
export const passFacts = ({ cluster, addon, type, signer, secret }: RegistrationItem, hub: HubStanza) =>
  ({
    id: `addon/${cluster}/${addon}/${secret.name}`,
    kind: 'addon',
    holder: `${cluster}/${addon}`,
    issuer: type === 'kubeClient' ? hub.server : signer,
    keptIn: `secret/${secret.namespace}/${secret.name}`,
  }) as const
