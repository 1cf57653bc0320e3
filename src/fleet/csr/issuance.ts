import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { after } from '../../core/clock.ts'
import type { Issuance, Kept, Pass, Pending, Step } from '../../core/pass.ts'
import type { Reason } from '../../core/reason.ts'
import { reasons as coreReasons } from '../../core/reasons.ts'
import { isDue, isExpired } from '../../core/renewal.ts'
import type { Secret } from '../../core/secret.ts'
import { isAlreadyExists } from '../../kube/failures.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Certificate } from '../../pki/index.ts'
import { compactFingerprint, generateKey, keyMatches, readCertificate } from '../../pki/index.ts'
import { clientSigner } from '../names.ts'
import { userOf } from './issuance-asker.ts'
import type { CsrOrder } from './request.ts'
import { csrObject, isOurs, isSameSubject, requestName } from './request.ts'

/** A certificate with the key it was asked for with. */
export interface CertifiedIdentity {
  readonly certPem: string
  readonly keyPem: Secret
}

export interface CsrIssuanceOptions<M extends CertifiedIdentity> {
  readonly order: CsrOrder
  /** Who asks. Given what is kept and still good: a renewal is asked for with it, a first certificate is not. */
  asker(kept: Kept<M> | undefined): Kube | Promise<Kube>
  /** Whether what is kept is for what is wanted now; if not, a new one is asked for before it is due. */
  isCurrent(kept: Kept<M>): boolean
  materialOf(identity: CertifiedIdentity): M
  passOf(certificate: Certificate, now: Date): Pass
  /** Selects the requests that count as this holder's for the safety stop, where the asker made them itself. */
  readonly selector: string
  readonly reasons: CsrReasons
  /** Between two looks at an open request that nothing tells about. */
  readonly lookAgainMs: number
  /** Told after the request was created, and after its certificate was found good. */
  onStep?(step: 'created' | 'received'): void
  readonly limits?: CsrLimits
  /**
   * How long an undecided request of an earlier key, for the same signer, is waited out before another is made: the hub
   * removes those that nothing asks for any more. Default: not at all.
   */
  readonly patienceMs?: number
}

/** So many requests of one holder mean that something is wrong: none is added. */
export interface CsrLimits {
  /** Of undecided ones. Default: as many as in all. */
  readonly open?: number
  /** Whatever became of them. Default 10. */
  readonly all: number
}

export interface CsrReasons {
  readonly denied: Reason
  readonly halted: Reason
  /** The signer gave a certificate that is not the one asked for. */
  readonly wrongCertificate: Reason
  /** The request was removed before it was answered. */
  readonly removed: Reason
}

/** Grows fast: whoever removes requests, such as a hub on which two agents share a name, would do so without end. */
const removedRetry = { firstMs: 1_000, maxMs: 3_600_000, factor: 4 }

/**
 * Asks for a certificate by a CertificateSigningRequest. The key is kept as pending before the request exists, and the
 * request's name follows from it: killed anywhere, it goes on with the same request.
 */
export function csrIssuance<M extends CertifiedIdentity>(options: CsrIssuanceOptions<M>): Issuance<M> {
  const { order, reasons, limits = { all: 10 }, patienceMs = 0 } = options
  /** Requests known to have existed. A restart forgets them, which costs one more request. */
  const seen = new Set<string>()
  const waiting = (reason: Reason, now: Date): Step<M> => ({
    step: 'waiting',
    for: reason,
    wake: after(now, options.lookAgainMs),
  })
  const startOver = (now: Date): Step<M> => {
    const { keyPem } = generateKey()
    const pending: Pending = { name: requestName(order, keyPem), createdAt: now, material: keyPem }
    return { step: 'waiting', for: coreReasons.AwaitingIssuer, pending }
  }

  async function create(kube: Kube, pending: Pending, keyPem: Secret, now: Date): Promise<Step<M>> {
    const csrs = kube.of(certificateSigningRequests)
    const obstacle = await obstacleTo(kube, pending, now)
    if (obstacle) return obstacle
    try {
      const { metadata } = await csrs.create(await csrObject(order, keyPem))
      seen.add(metadata.name)
      options.onStep?.('created')
    } catch (error) {
      // Ours from before a lost answer, or somebody else's: the next look tells.
      if (!isAlreadyExists(error)) throw error
      return { step: 'waiting', for: coreReasons.AwaitingApproval, wake: after(now, 1_000) }
    }
    return waiting(coreReasons.AwaitingApproval, now)
  }

  /** Of others' requests there may be any number: anybody who may ask could stop this holder with them otherwise. */
  async function obstacleTo(kube: Kube, { createdAt }: Pending, now: Date): Promise<Step<M> | undefined> {
    const patientUntil = after(createdAt, patienceMs)
    const isInTheWay = (csrs: readonly CertificateSigningRequest[]) =>
      now < patientUntil &&
      csrs.some((csr) => isUndecided(csr) && csr.spec.signerName === (order.signer ?? clientSigner))
    const areTooMany = (csrs: readonly CertificateSigningRequest[]) =>
      csrs.length >= limits.all || csrs.filter(isUndecided).length >= (limits.open ?? limits.all)
    const { items } = await kube.of(certificateSigningRequests).list({ labelSelector: options.selector })
    if (!areTooMany(items) && !isInTheWay(items)) return undefined
    const me = await userOf(kube)
    const mine = me === undefined ? items : items.filter(({ spec }) => spec.username === me)
    if (areTooMany(mine)) return waiting(reasons.halted, now)
    return isInTheWay(mine) ? { step: 'waiting', for: coreReasons.AwaitingIssuer, wake: patientUntil } : undefined
  }

  function removed({ name, refusals = 0 }: Pending, now: Date): Step<M> {
    seen.delete(name)
    const message = `certificate request ${name} was removed before it was answered; a new one follows`
    const retryAt = after(
      now,
      Math.min(removedRetry.maxMs, removedRetry.firstMs * removedRetry.factor ** Math.min(refusals, 16)),
    )
    return { step: 'refused', reason: reasons.removed, message, retryAt }
  }

  function received(certPem: string, keyPem: Secret, now: Date): Step<M> {
    const certificate = readable(certPem)
    if (!certificate || !keyMatches(certPem, keyPem) || !isSameSubject(certificate.subject, order.subject)) {
      const message = 'the signer gave a certificate for another key or subject; check the signer of the hub'
      return { step: 'refused', reason: reasons.wrongCertificate, message }
    }
    options.onStep?.('received')
    return {
      step: 'granted',
      pass: options.passOf(certificate, now),
      material: options.materialOf({ certPem, keyPem }),
    }
  }

  return {
    async next(now, kept, pending) {
      const good = kept && options.isCurrent(kept) && !isExpired(kept.pass, now) ? kept : undefined
      if (!pending) return good && !isDue(good.pass, now) ? { step: 'granted', ...good } : startOver(now)
      const keyPem = pending.material
      if (!keyPem || !isNameOf(pending, order, keyPem)) return startOver(now)

      const kube = await options.asker(good)
      const csr = await kube.of(certificateSigningRequests).find(pending.name)
      if (!csr) return seen.has(pending.name) ? removed(pending, now) : create(kube, pending, keyPem, now)
      seen.add(pending.name)
      if (!isOurs(csr, order, keyPem)) return startOver(now)
      const verdict = verdictOn(csr)
      if (verdict === 'open') return waiting(coreReasons.AwaitingApproval, now)
      if ('refused' in verdict) return { step: 'refused', reason: reasons.denied, message: verdict.refused }
      return received(verdict.certPem, keyPem, now)
    },
  }
}

type CsrVerdict = 'open' | { refused: string } | { certPem: string }

/** The certificate may be there before the approval is: both are waited for, and a denial counts whatever else is there. */
export function verdictOn({ metadata, status }: Stored<CertificateSigningRequest>): CsrVerdict {
  const holds = (type: string) =>
    status?.conditions?.find((condition) => condition.type === type && condition.status !== 'False')
  const no = holds('Denied') ?? holds('Failed')
  if (no) {
    const why = [no.reason, no.message].filter((text) => text).join(': ') || 'no reason was given'
    return { refused: `certificate request ${metadata.name} was ${no.type.toLowerCase()} (${why}); a new one follows` }
  }
  if (!holds('Approved') || !status?.certificate) return 'open'
  return { certPem: Buffer.from(status.certificate, 'base64').toString() }
}

const isUndecided = ({ status }: CertificateSigningRequest): boolean => (status?.conditions ?? []).length === 0

/** False as well for a key that cannot be read: it was damaged where it is kept. */
function isNameOf(pending: Pending, order: CsrOrder, keyPem: Secret): boolean {
  try {
    return pending.name === requestName(order, keyPem)
  } catch {
    return false
  }
}

function readable(certPem: string): Certificate | undefined {
  try {
    return readCertificate(certPem)
  } catch {
    return undefined
  }
}

/** What the ledger knows of a certificate. Its life begins at the receipt: signers date it back. */
export function certificatePass(
  facts: Pick<Pass, 'id' | 'kind' | 'holder' | 'issuer' | 'keptIn'>,
  { notBefore, notAfter, fingerprint }: Certificate,
  receivedAt: Date,
): Pass {
  return {
    ...facts,
    issuedAt: notBefore > receivedAt ? notBefore : receivedAt,
    expiresAt: notAfter,
    fingerprint: compactFingerprint(fingerprint),
    state: coreReasons.PassIssued,
  }
}
