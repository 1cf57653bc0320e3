import type { ConditionReport } from '../../core/conditions.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Report } from '../../core/keep-fresh.ts'
import type { Reason } from '../../core/reason.ts'
import { reasons as coreReasons } from '../../core/reasons.ts'
import { readCertificate } from '../../pki/index.ts'

/** How a job calls what can become of its certificate. */
export interface CertificateWords {
  readonly type: string
  readonly updated: Reason
  readonly failed: Reason
  readonly denied: Reason
  /** What stands between the holder and its certificate, in a sentence that says what to do. */
  trouble(report: Report): string
}

/** What the hub is told of a certificate; undefined while a request is on its way and there is nothing new to tell. */
export function conditionOfCertificate(
  report: Report,
  certPem: string | undefined,
  { type, updated, failed, denied, trouble }: CertificateWords,
): ConditionReport | undefined {
  switch (report.state) {
    case coreReasons.PassIssued:
      return certPem === undefined ? undefined : { type, status: 'True', reason: updated, message: validity(certPem) }
    case coreReasons.AwaitingIssuer:
    case coreReasons.AwaitingApproval:
      return undefined
    default: {
      const reason = report.state === denied ? denied : failed
      return { type, status: 'False', reason, message: trouble(report) }
    }
  }
}

function validity(certPem: string): string {
  const { notBefore, notAfter } = readCertificate(certPem)
  return `the client certificate is valid from ${rfc3339(notBefore)} to ${rfc3339(notAfter)}`
}
