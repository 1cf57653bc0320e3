import { isFailure } from '../../core/failure.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import { watching } from '../../kube/watching.ts'
import { readCertificate } from '../../pki/index.ts'
import type { Csr } from './certificate-request.ts'
import { conditionOf, isIssued } from './certificate-request.ts'
import { deleteSeen } from './delete-seen.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

const hourMs = 3_600_000
const decidedMs = hourMs
const pendingMs = 24 * hourMs

/** Certificate requests go when nobody needs them any more. */
export function csrCleaner(deps: ControllerDeps, { certificateRequests }: Informers): Controller {
  const { kube, clock } = deps
  return controller(
    'csrcleaner',
    async (key, { signal }) => {
      const csr = certificateRequests.get(key)
      const dueAt = csr && cleanedAt(csr)
      if (!csr || dueAt === undefined) return done
      const leftMs = dueAt - clock.now().getTime()
      if (leftMs > 0) return requeueAfter(leftMs)
      await deleteSeen(kube.of(certificateSigningRequests), csr, { signal })
      return done
    },
    { ...deps, watches: [watching(certificateRequests)] },
  )
}

/** When a request is to go, in milliseconds since 1970; undefined when nothing says so. */
export function cleanedAt(csr: Csr): number | undefined {
  const after = (time: unknown, ms: number) => (typeof time === 'string' ? [Date.parse(time) + ms] : [])
  const afterCondition = (type: string, ms: number) => after(conditionOf(csr, type)?.lastUpdateTime, ms)
  const due = [
    ...((csr.status?.conditions ?? []).length === 0 ? after(csr.metadata?.creationTimestamp, pendingMs) : []),
    ...afterCondition('Approved', isIssued(csr) ? decidedMs : pendingMs),
    ...afterCondition('Denied', decidedMs),
    ...afterCondition('Failed', decidedMs),
    ...(isIssued(csr) && conditionOf(csr, 'Approved') ? endOfCertificate(csr) : []),
  ].filter((time) => !Number.isNaN(time))
  return due.length > 0 ? Math.min(...due) : undefined
}

function endOfCertificate({ status }: Csr): number[] {
  try {
    return [readCertificate(Buffer.from(status?.certificate ?? '', 'base64').toString()).notAfter.getTime()]
  } catch (error) {
    if (isFailure(error)) return []
    throw error
  }
}
