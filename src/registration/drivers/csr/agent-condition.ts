import type { ConditionReport } from '../../../core/conditions.ts'
import type { Report } from '../../../core/keep-fresh.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { conditionOfCertificate } from '../../../fleet/csr/certificate-condition.ts'
import { conditions } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'

/** What the hub is told of the certificate; undefined while a request is on its way and there is nothing new to tell. */
export const certificateCondition = (
  report: Report,
  cluster: string,
  certPem: string | undefined,
): ConditionReport | undefined =>
  conditionOfCertificate(report, certPem, {
    type: conditions.certificateRotated,
    updated: reasons.ClientCertificateUpdated,
    failed: reasons.ClientCertificateUpdateFailed,
    denied: reasons.ClientCertificateDenied,
    trouble: (of) => troubleOf(of, cluster),
  })

/** What stands between the agent and its certificate, in a sentence that says what to do. */
export function troubleOf({ state, message }: Report, cluster: string): string {
  switch (state) {
    case coreReasons.AwaitingIssuer:
    case coreReasons.AwaitingApproval:
      return `the certificate request waits for its approval on the hub; an administrator approves it there with: lanyard accept ${cluster}`
    case reasons.ClientCertificateCreationHalted:
      return 'the hub has 10 or more certificate requests that this agent made, so no further one is made; remove old ones, or wait until the hub does'
    case coreReasons.KeepUnavailable:
      return message ?? 'the Secret with the certificate could not be read or written; it is tried again'
    default:
      return message ?? 'no certificate could be had; it is tried again'
  }
}
