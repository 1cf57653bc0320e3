import type { CsrOrder } from '../../../fleet/csr/request.ts'
import { labels } from '../../../fleet/names.ts'
import type { Sans } from '../../../pki/index.ts'
import type { RegistrationItem } from '../../registrations.ts'
import { certificateSubject, wantedSubject } from './subject.ts'

/** The one alternative name in the certificates of an add-on. */
export const addonDnsName = (addon: string): string => `${addon}.addon.open-cluster-management.io`

export const addonRequestLabels = (cluster: string, addon: string): Record<string, string> => ({
  [labels.clusterName]: cluster,
  [labels.addonName]: addon,
})

/** What is asked for in the name of an item. */
export function addonOrder(item: RegistrationItem): CsrOrder {
  const { cluster, addon, signer } = item
  return {
    prefix: `addon-${cluster}-${addon}-`,
    subject: certificateSubject(wantedSubject(item)),
    labels: addonRequestLabels(cluster, addon),
    signer,
    sans: { dnsNames: [addonDnsName(addon)] },
  }
}

/** None, where a signer leaves them out, or the add-on's own and no other. */
export function hasOnlyOwnNames(addon: string, { dnsNames, ...others }: Sans): boolean {
  const isNone = Object.values(others).every((names) => names.length === 0)
  return isNone && dnsNames.every((name) => name === addonDnsName(addon))
}
