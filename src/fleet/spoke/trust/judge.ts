import { X509Certificate } from 'node:crypto'
import { isFailure } from '../../../core/failure.ts'
import type { Reason } from '../../../core/reason.ts'
import { parseCertificates } from '../../../pki/certificate.ts'
import { trustReasons, whyUntrusted } from '../../../pki/index.ts'
import type { Captured } from './capture.ts'
import { rootsNamedBy } from './roots.ts'

/** What a server shows, and that is in order but for the one thing that trust on first use is about. */
export interface Offer {
  /** PEM of the certificate that would be trusted: the highest one shown. */
  readonly pem: string
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** Whether it needs no trust of ours. */
  readonly vouchedBySystem: boolean
}

export type Judgement = { readonly offer: Offer } | { readonly fault: Reason }

export interface Judging {
  readonly roots: readonly string[]
  readonly now: Date
}

/**
 * Judges what a server shows. That nobody vouches for its authority is the only fault that is put up with: the name, the
 * dates, the purpose and every signature have to be right. Throws where the server's own certificate cannot be read.
 */
export function judge({ chain: [leaf, ...rest], hostname }: Captured, { roots, now }: Judging): Judgement {
  const shown: Captured = { chain: [leaf, ...rest.filter(isReadable)], hostname }
  const fault = whyNotVouchedFor(shown, leaf, now)
  if (fault) return { fault }
  const possible = rootsNamedBy(shown.chain, roots)
  const vouchedBySystem = possible.length > 0 && isVouchedFor(shown, possible.join('\n'), now)
  const top = topOf(shown, now)
  // A root of the system may lead around a certificate that is at fault, such as an old cross-signature.
  if ('fault' in top && !vouchedBySystem) return top
  const pem = 'fault' in top ? leaf : top.pem
  return { offer: { ...described(pem), vouchedBySystem } }
}

function described(pem: string): Omit<Offer, 'vouchedBySystem'> {
  const { fingerprint256, subject, issuer, validFromDate, validToDate } = new X509Certificate(pem)
  const oneLine = (name: string | undefined) => (name ?? '').replaceAll('\n', ', ')
  const names = { subject: oneLine(subject), issuer: oneLine(issuer) }
  return { pem, fingerprint: fingerprint256, ...names, notBefore: validFromDate, notAfter: validToDate }
}

/** Whether these authorities vouch for what a server shows. */
export const isVouchedFor = (captured: Captured, caPem: string, now: Date): boolean =>
  whyNotVouchedFor(captured, caPem, now) === undefined

export const whyNotVouchedFor = ({ chain, hostname }: Captured, caPem: string, now: Date): Reason | undefined =>
  whyUntrusted(chain.join('\n'), caPem, now, { hostname })

/**
 * The last certificate shown that is an authority, or issued by itself, and that vouches for the server; the server's
 * own where there is none. One that has nothing to do with the server is passed over; one that has, and is at fault, is
 * a fault of the chain.
 */
function topOf(shown: Captured, now: Date): { pem: string } | { fault: Reason } {
  for (const pem of shown.chain.toReversed()) {
    if (!mayVouch(pem)) continue
    const why = whyNotVouchedFor(shown, pem, now)
    if (why === undefined) return { pem }
    if (why !== trustReasons.IssuerUnknown) return { fault: why }
  }
  return { pem: shown.chain[0] }
}

const mayVouch = (pem: string): boolean =>
  parseCertificates(pem).some(
    ({ extensions, subjectName, issuerName }) => extensions.isCa || subjectName.whole.equals(issuerName.whole),
  )

function isReadable(pem: string): boolean {
  try {
    return parseCertificates(pem).length > 0
  } catch (error) {
    if (isFailure(error, 'PKI_CERTIFICATE_INVALID')) return false
    throw error
  }
}
