import { clientSigner } from '../../../fleet/names.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { Declaration } from '../driver.ts'
import { isAccountOf, wantedSubject } from './subject.ts'

const longestLabel = 63
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** What an item says once it comes by certificate. An account of the token driver is no subject of a certificate. */
export function csrDeclaration(item: RegistrationItem): Declaration | string {
  if (item.addon.length > longestLabel)
    return `the name of the add-on is longer than ${longestLabel} characters, so its certificate requests cannot carry it as a label`
  if (!objectName.test(item.secret.name))
    return `the signer ${item.signer} makes ${item.secret.name}, which is no name for a Secret`
  if (item.type === 'customSigner' && item.signer === clientSigner)
    return `the signer ${clientSigner} is the hub's own: register the type kubeClient for it`
  if (item.type !== 'kubeClient') return { subject: wantedSubject(item) }
  const registered = isAccountOf(item, item.subject.user) ? { ...item, subject: {} } : item
  return { driver: 'csr', subject: wantedSubject(registered) }
}
