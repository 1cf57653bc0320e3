/** What a Secret records of a pass besides the material: a request on its way, and when the pass came and is renewed. */

import { rfc3339 } from '../core/conditions.ts'
import { ownDomain } from '../core/own-domain.ts'
import type { Pass, Pending } from '../core/pass.ts'
import { Secret } from '../core/secret.ts'

/** When a certificate came and is renewed: signers date back, so that the certificate alone cannot tell. */
export const renewalAnnotation = `${ownDomain}/certificate-renewal`

export const formatDates = ({ fingerprint, issuedAt, renewAt }: Pass): string =>
  [fingerprint.slice(0, 16), rfc3339(issuedAt), ...(renewAt ? [rfc3339(renewAt)] : [])].join(' ')

/** Whether the record is there, and of something else than what has this fingerprint. */
export const isOfAnother = (text: string | undefined, fingerprint: string): boolean =>
  text !== undefined && text.split(' ')[0] !== fingerprint.slice(0, 16)

/** Nothing for a certificate that somebody else put there. */
export function datesOf(text = '', fingerprint: string): Pick<Pass, 'issuedAt' | 'renewAt'> | undefined {
  const [of, ...times] = text.split(' ')
  const [issuedAt, renewAt] = times.map((time) => new Date(time))
  if (of !== fingerprint.slice(0, 16) || !isDate(issuedAt)) return undefined
  return { issuedAt, ...(isDate(renewAt) && { renewAt }) }
}

const isDate = (date: Date | undefined): date is Date => date !== undefined && !Number.isNaN(date.getTime())

export const formatPending = ({ material, ...rest }: Pending): string =>
  JSON.stringify({ ...rest, ...(material && { material: material.reveal() }) })

/** A damaged one is forgotten: a new request replaces it. */
export function readPending(text: string | undefined): Pending | undefined {
  if (text === undefined) return undefined
  try {
    const { name, createdAt, material, refusals, refused } = JSON.parse(text)
    const pending: Pending = {
      name: String(name),
      createdAt: new Date(createdAt),
      ...(material !== undefined && { material: Secret.of(String(material)) }),
      ...(refusals !== undefined && { refusals: Number(refusals) }),
      ...(refused && { refused: { ...refused, at: new Date(refused.at), retryAt: new Date(refused.retryAt) } }),
    }
    const dates = [pending.createdAt, ...(pending.refused ? [pending.refused.at, pending.refused.retryAt] : [])]
    return dates.every(isDate) ? pending : undefined
  } catch {
    return undefined
  }
}
