import type { Report } from '../../../core/keep-fresh.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import type { CertificateWords } from '../../../fleet/csr/certificate-condition.ts'
import { addonConditions } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'
import type { RegistrationItem } from '../../registrations.ts'

/** How the condition of an add-on's certificate is worded. Every sentence names the Secret: an add-on may have several. */
export const certificateWords = (item: RegistrationItem): CertificateWords => ({
  type: addonConditions.certificateRotated,
  updated: reasons.ClientCertificateUpdated,
  failed: reasons.ClientCertificateUpdateFailed,
  denied: reasons.ClientCertificateDenied,
  trouble: (report) => troubleOf(report, item),
})

function troubleOf({ state, message }: Report, { secret }: RegistrationItem): string {
  const where = `Secret ${secret.namespace}/${secret.name}`
  switch (state) {
    case reasons.ClientCertificateCreationHalted:
      return `${where}: the hub has too many certificate requests of this add-on, so no further one is made; remove old ones, or wait until the hub does`
    case coreReasons.KeepUnavailable:
      return `${where} could not be read or written: ${message ?? `check that the namespace ${secret.namespace} exists`}; it is tried again`
    default:
      return `${where}: ${message ?? 'no certificate could be had; it is tried again'}`
  }
}
