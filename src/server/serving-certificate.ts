import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Authority, CertifiedKey, Sans } from '../pki/index.ts'
import { createSelfSigned, generateKey, issueCertificate, readCertificate } from '../pki/index.ts'

/** A certificate to serve with, and when the next one is to be asked for. */
export interface ServingCertificate extends CertifiedKey {
  renewAt: Date
}

/** Makes or reads a certificate; asked again at `renewAt`. The same one may be given again, with a later `renewAt`. */
export type CertificateSource = (signal?: AbortSignal) => Promise<ServingCertificate>

export interface ServingNames {
  dnsNames?: readonly string[]
  ipAddresses?: readonly string[]
}

export interface ServingInput {
  names: ServingNames
  clock: Pick<Clock, 'now'>
  /** Default: 90 days. */
  lifetimeMs?: number
}

const defaultLifetimeMs = 90 * 24 * 3_600_000
/** API servers' clocks may be behind. */
const backdateMs = 5 * 60_000
/** An authority near its end makes short lives; the next one is not asked for without a pause. */
const leastPauseMs = 60_000
const renewAfterShare = 2 / 3

/** Issued in memory and never stored: each process has a key of its own. Trusted by whoever trusts the authority. */
export const issuedBy =
  (authority: Authority, { names, clock, lifetimeMs = defaultLifetimeMs }: ServingInput): CertificateSource =>
  async () => {
    const { keyPem, publicKeyPem } = generateKey()
    const now = clock.now()
    const holder = { subject: subjectOf(names), publicKeyPem, sans: sansOf(names) }
    const certPem = await issueCertificate(authority, holder, {
      usages: ['server'],
      notBefore: after(now, -backdateMs),
      notAfter: after(now, lifetimeMs),
    })
    return { certPem, keyPem, renewAt: renewalOf(certPem, now) }
  }

/** For whoever does not check: the `/healthz` of an agent, which has no authority. */
export const selfSigned =
  ({ names, clock, lifetimeMs = defaultLifetimeMs }: ServingInput): CertificateSource =>
  async () => {
    const made = await createSelfSigned({ subject: subjectOf(names), sans: sansOf(names), clock, lifetimeMs })
    return { ...made, renewAt: renewalOf(made.certPem, clock.now()) }
  }

function renewalOf(certPem: string, now: Date): Date {
  const leftMs = readCertificate(certPem).notAfter.getTime() - now.getTime()
  return after(now, Math.max(leastPauseMs, leftMs * renewAfterShare))
}

const subjectOf = ({ dnsNames = [], ipAddresses = [] }: ServingNames) => ({
  commonName: (dnsNames[0] ?? ipAddresses[0] ?? 'lanyard').slice(0, 64),
})

const sansOf = ({ dnsNames = [], ipAddresses = [] }: ServingNames): Partial<Sans> => ({ dnsNames, ipAddresses })
