import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { csrObject } from '../../../../fleet/csr/request.ts'
import { addonSecrets, agentUser, clientSigner } from '../../../../fleet/names.ts'
import type { Stored } from '../../../../kube/objects.ts'
import { generateKey } from '../../../../pki/index.ts'
import type { ItemSubject, RegistrationItem } from '../../../registrations.ts'
import { addonOrder } from '../order.ts'

const cluster = 'west'

/** An item of an add-on on the cluster west, with the subject of its registration. */
export const aKubeClient = (subject: ItemSubject = {}, addon = 'logs'): RegistrationItem => ({
  cluster,
  addon,
  index: 0,
  type: 'kubeClient',
  signer: clientSigner,
  subject,
  driver: 'csr',
  secret: { namespace: 'addons', name: addonSecrets.kubeClient(addon) },
})

export const aCustomSigner = (signer: string, subject: ItemSubject = {}, addon = 'logs'): RegistrationItem => ({
  ...aKubeClient(subject, addon),
  type: 'customSigner',
  signer,
  driver: undefined,
  secret: { namespace: 'addons', name: addonSecrets.customSigner(addon, signer) },
})

/** The request for an item as the hub has it, made by the agent a1 of its cluster unless told otherwise. */
export async function aRequest(
  item: RegistrationItem,
  { username = agentUser(cluster, 'a1'), created = '2026-03-01T12:00:00Z', decided = '' } = {},
): Promise<Stored<CertificateSigningRequest>> {
  const csr = await csrObject(addonOrder(item), generateKey().keyPem)
  const name = csr.metadata?.name ?? ''
  return {
    metadata: { ...csr.metadata, name, uid: name, resourceVersion: '1', creationTimestamp: created as never },
    spec: { ...csr.spec, username },
    ...(decided && { status: { conditions: [{ type: decided, status: 'True' }] } }),
  }
}
