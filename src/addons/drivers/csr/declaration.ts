import { isEks } from '../../../fleet/eks.ts'
import { clientSigner } from '../../../fleet/names.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { Declaration, HubFacts } from '../driver.ts'
import { isAccountOf, wantedSubject } from './subject.ts'

const longestLabel = 63
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** What an item says once it comes by certificate. An account of the token driver is no subject of a certificate. */
export function csrDeclaration(item: RegistrationItem, { version = '' }: HubFacts = {}): Declaration | string {
  if (item.addon.length > longestLabel)
    return `the name of the add-on is longer than ${longestLabel} characters, so its certificate requests cannot carry it as a label`
  if (!objectName.test(item.secret.name))
    return `the signer ${item.signer} makes ${item.secret.name}, which is no name for a Secret`
  if (item.type === 'customSigner' && item.signer === clientSigner)
    return `the signer ${clientSigner} is the hub's own: register the type kubeClient for it`
  // Nothing on the hub reads who a custom signer is asked for; controllers of add-ons would write it back at once.
  if (item.type !== 'kubeClient') return { subject: item.subject }
  // Its request would wait for ever.
  if (isEks(version))
    return `the hub is an EKS cluster (${version}) and signs no client certificates; use the driver token: start the agent with --addon-kubeclient-registration-auth=token, or set registrationConfiguration.addOnKubeClientRegistrationDriver.authType to token in its Klusterlet`
  const registered = isAccountOf(item, item.subject.user) ? { ...item, subject: {} } : item
  return { driver: 'csr', subject: wantedSubject(registered) }
}
