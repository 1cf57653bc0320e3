import { createPublicKey } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Secret } from '../core/secret.ts'
import type { ParsedCertificate } from './certificate.ts'
import { parseCertificate } from './certificate.ts'
import type { KeyUsage } from './encode.ts'
import { encodeCertificate } from './encode.ts'
import type { Usage } from './extensions.ts'
import { failures } from './failures.ts'
import { generateKey, readPrivateKey, readPublicKey } from './keys.ts'
import { onlyBlocks } from './pem.ts'
import type { Holder } from './request.ts'
import type { Sans } from './sans.ts'
import type { SubjectInput } from './subject.ts'

export interface CertifiedKey {
  /** One certificate. Served under an intermediate, it needs that one's certificate appended. */
  certPem: string
  keyPem: Secret
}

/** A key that may issue certificates, with the certificate that says so. */
export type Authority = CertifiedKey

/** Other machines' clocks may be behind: what is made now has been valid for five minutes, as Kubernetes does it. */
const backdateMs = 5 * 60_000

export interface AuthorityInput {
  commonName: string
  clock: Pick<Clock, 'now'>
  /** Counted from now. An intermediate ends no later than its parent. */
  lifetimeMs: number
  /** Makes an intermediate; its path length must allow one. Without it the authority is a root. */
  parent?: Authority
  /** How many authorities may stand between this one and a leaf. Default: any number for a root, 0 under a parent. */
  pathLength?: number
}

/** A new certificate authority with a key of its own. */
export async function createAuthority(input: AuthorityInput): Promise<Authority> {
  const { commonName, clock, lifetimeMs, parent, pathLength = parent && 0 } = input
  const { keyPem, publicKeyPem } = generateKey()
  const certPem = await encodeCertificate({
    subject: { commonName },
    publicKey: readPublicKey(publicKeyPem),
    issuer: parent ? openParent(parent) : { key: readPrivateKey(keyPem) },
    ca: { pathLength },
    ...lifetime(clock, lifetimeMs),
  })
  return { certPem, keyPem }
}

export interface Terms {
  /** What the holder may do with it. */
  usages: readonly Usage[]
  notBefore: Date
  /** Cut to the authority's own end: past that nobody would accept it. */
  notAfter: Date
  /** Default: signatures, and key encipherment when the key is RSA. */
  keyUsages?: readonly KeyUsage[]
}

/**
 * Issues a certificate, as PEM. Of a request only subject, alternative names and key count; whatever else it asks for
 * (to be an authority, other usages) is not granted. A request that its own key did not sign is refused.
 */
export async function issueCertificate(
  authority: Authority,
  holder: Holder & { signatureValid?: boolean },
  terms: Terms,
): Promise<string> {
  if (holder.signatureValid === false) throw failures.PKI_REQUEST_SIGNATURE()
  return encodeCertificate({
    subject: holder.subject,
    sans: holder.sans ?? {},
    publicKey: readPublicKey(holder.publicKeyPem),
    issuer: openAuthority(authority),
    ...terms,
  })
}

export interface SelfSignedInput {
  subject: SubjectInput
  sans?: Partial<Sans>
  clock: Pick<Clock, 'now'>
  lifetimeMs: number
  /** Default: server. */
  usages?: readonly Usage[]
}

/** A certificate that only those trust who were given it: for servers in tests, and until a real one arrives. */
export async function createSelfSigned(input: SelfSignedInput): Promise<CertifiedKey> {
  const { subject, sans = {}, clock, lifetimeMs, usages = ['server'] } = input
  const { keyPem, publicKeyPem } = generateKey()
  const certPem = await encodeCertificate({
    subject,
    sans,
    publicKey: readPublicKey(publicKeyPem),
    issuer: { key: readPrivateKey(keyPem) },
    usages,
    ...lifetime(clock, lifetimeMs),
  })
  return { certPem, keyPem }
}

const lifetime = (clock: Pick<Clock, 'now'>, lifetimeMs: number) => ({
  notBefore: after(clock.now(), -backdateMs),
  notAfter: after(clock.now(), lifetimeMs),
})

function openAuthority({ certPem, keyPem }: Authority) {
  const certificate = parseCertificate(onlyBlocks(certPem, 'CERTIFICATE')[0])
  const key = readPrivateKey(keyPem)
  const { isCa, maySign } = certificate.extensions
  if (!isCa || !maySign) throw unsuitable(certificate, 'it is not a certificate authority')
  if (!certificate.publicKey.equals(createPublicKey(key))) throw unsuitable(certificate, 'the key is not its own')
  return { key, certificate }
}

function openParent(parent: Authority) {
  const opened = openAuthority(parent)
  const { certificate } = opened
  if (certificate.extensions.pathLength === 0)
    throw unsuitable(certificate, 'its path length of 0 allows no authority below it')
  return opened
}

const unsuitable = ({ x509 }: ParsedCertificate, detail: string) =>
  failures.PKI_AUTHORITY_UNSUITABLE({ subject: x509.subject?.replaceAll('\n', ', '), detail })
