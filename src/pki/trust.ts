import { isIP } from 'node:net'
import { isFailure } from '../core/failure.ts'
import type { Reason } from '../core/reason.ts'
import type { ParsedCertificate } from './certificate.ts'
import { parseCertificate } from './certificate.ts'
import type { Usage } from './extensions.ts'
import { weakSignatures } from './oids.ts'
import { onlyBlocks } from './pem.ts'
import { reasons } from './reasons.ts'

export interface Expectation {
  /** Name or address that the first certificate must carry as an alternative name; the common name never counts. */
  hostname?: string
  /** What the certificate is presented for. Default: server when a hostname is given, anything otherwise. */
  usage?: Usage
}

interface Question {
  now: Date
  hostname: string | undefined
  usage: Usage | undefined
  anchors: readonly ParsedCertificate[]
  intermediates: readonly ParsedCertificate[]
  /** How many more signatures may be checked: a presented chain must not be able to keep us busy. */
  signaturesLeft: number
}

type Check<T> = (subject: T, question: Question) => Reason | undefined

/**
 * Why the first certificate of a chain is not trusted; undefined when it is. The rest of the chain may come in any
 * order and hold certificates that are not needed. As in Go, every certificate of `caPem` is an anchor, whether or not
 * it signed itself; a server's own certificate will do. (Node's TLS needs `allowPartialTrustChain` for that.) Other
 * than the first, certificates that cannot be read are passed over.
 *
 * A limitation: name constraints are not evaluated. A path through a certificate that carries them, or another
 * constraint unknown here, is refused, even where the names would be allowed.
 */
export function whyUntrusted(chainPem: string, caPem: string, now: Date, expect: Expectation = {}): Reason | undefined {
  const { hostname, usage = hostname === undefined ? undefined : 'server' } = expect
  const [first, ...rest] = onlyBlocks(chainPem, 'CERTIFICATE')
  const leaf = parseCertificate(first)
  const anchors = readableOnes(onlyBlocks(caPem, 'CERTIFICATE'))
  const question = { now, hostname, usage, anchors, intermediates: readableOnes(rest), signaturesLeft: 100 }
  return firstViolation(leafChecks, leaf, question) ?? whyNoPath([leaf], question)
}

const readableOnes = (ders: readonly Buffer[]): ParsedCertificate[] =>
  ders.flatMap((der) => {
    try {
      return parseCertificate(der)
    } catch (error) {
      if (isFailure(error, 'PKI_CERTIFICATE_INVALID')) return []
      throw error
    }
  })

const hasEnded: Check<ParsedCertificate> = ({ x509 }, { now }) =>
  now > x509.validToDate ? reasons.CertificateExpired : undefined

const hasNotBegun: Check<ParsedCertificate> = ({ x509 }, { now }) =>
  now < x509.validFromDate ? reasons.CertificateNotYetValid : undefined

const isConstrained: Check<ParsedCertificate> = ({ extensions }) =>
  extensions.hasUnknownConstraint ? reasons.ConstraintUnsupported : undefined

const isForOtherUse: Check<ParsedCertificate> = ({ extensions }, { usage }) =>
  usage && !extensions.allows(usage) ? reasons.UsageNotAllowed : undefined

const isForOtherHost: Check<ParsedCertificate> = ({ x509 }, { hostname }) =>
  hostname === undefined || names(x509, hostname) ? undefined : reasons.HostnameMismatch

const certificateChecks = [hasEnded, hasNotBegun, isConstrained, isForOtherUse]
const leafChecks = [isForOtherHost, ...certificateChecks]

function names(x509: ParsedCertificate['x509'], hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare)) return !bare.includes('%') && x509.checkIP(bare) !== undefined
  // OpenSSL would read a leading dot as "any host below" and stop at a NUL: neither compares whole names.
  if (!/^\w[\w.-]*$/.test(bare)) return false
  return x509.checkHost(bare.replace(/\.$/, ''), { subject: 'never', partialWildcards: false }) !== undefined
}

interface Link {
  /** From the leaf upwards; the last one is the certificate that `issuer` is to have signed. */
  path: readonly [ParsedCertificate, ...ParsedCertificate[]]
  issuer: ParsedCertificate
}

const issuerIsNoAuthority: Check<Link> = ({ issuer: { extensions } }) =>
  extensions.isCa && extensions.maySign ? undefined : reasons.IssuerNotAuthority

const pathIsTooLong: Check<Link> = ({ path, issuer: { extensions } }) =>
  path.length - 1 > (extensions.pathLength ?? Number.POSITIVE_INFINITY) ? reasons.PathTooLong : undefined

const issuerIsUnfit: Check<Link> = ({ issuer }, question) => firstViolation(certificateChecks, issuer, question)

const signatureIsWeak: Check<Link> = ({ path }) =>
  weakSignatures.has(last(path).signatureOid) ? reasons.SignatureTooWeak : undefined

const signatureIsWrong: Check<Link> = ({ path, issuer }, question) => {
  if (question.signaturesLeft-- <= 0) return reasons.PathTooLong
  return last(path).x509.verify(issuer.publicKey) ? undefined : reasons.SignatureInvalid
}

const linkChecks = [issuerIsNoAuthority, pathIsTooLong, issuerIsUnfit, signatureIsWeak, signatureIsWrong]

/** Why no path leads on from here to an anchor. Of several dead ends, the first that says more than "unknown". */
function whyNoPath(path: Link['path'], question: Question): Reason | undefined {
  const { anchors, intermediates } = question
  if (anchors.some((anchor) => isSame(anchor, last(path)))) return undefined
  let why: Reason = reasons.IssuerUnknown
  for (const issuer of [...anchors, ...intermediates]) {
    if (!issuer.subjectName.whole.equals(last(path).issuerName.whole)) continue
    if (path.some((below) => isSame(below, issuer))) continue
    const dead = firstViolation(linkChecks, { path, issuer }, question) ?? whyNoPath([...path, issuer], question)
    if (!dead) return undefined
    if (why === reasons.IssuerUnknown) why = dead
  }
  return why
}

function firstViolation<T>(checks: readonly Check<T>[], subject: T, question: Question): Reason | undefined {
  for (const check of checks) {
    const reason = check(subject, question)
    if (reason) return reason
  }
  return undefined
}

const isSame = (a: ParsedCertificate, b: ParsedCertificate): boolean => a.x509.raw.equals(b.x509.raw)

const last = (path: Link['path']): ParsedCertificate => path[path.length - 1] ?? path[0]
