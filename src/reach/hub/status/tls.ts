import type { CheckResult } from '../check.ts'
import type { Status } from '../status-of.ts'

type Tls = Status['tls']

/** How the API server is trusted. Of another CA than the one on record both are told, until one of them is gone. */
export function tlsOf({ trust, failure }: CheckResult, before: Tls): Tls {
  if (!failure?.offered) return trust ?? before
  const { fingerprint: offeredFingerprint, onRecord } = failure.offered
  const source = trust?.source ?? before?.source ?? (onRecord === undefined ? 'System' : 'FirstUse')
  return { source, ...(onRecord !== undefined && { fingerprint: onRecord }), offeredFingerprint }
}
