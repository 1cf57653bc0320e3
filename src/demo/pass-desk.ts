import { readFile } from 'node:fs/promises'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { MaterialCodec } from '../core/file-keep.ts'
import { done } from '../core/outcome.ts'
import type { Grant, Issuance, Pass } from '../core/pass.ts'
import { reasons } from '../core/reasons.ts'
import { isDue, isExpired } from '../core/renewal.ts'
import { replaceFile } from '../core/replace-file.ts'
import { Secret } from '../core/secret.ts'
import type { Authority, CertifiedKey } from '../pki/index.ts'
import {
  createAuthority,
  createRequest,
  generateKey,
  issueCertificate,
  publicKeyDigest,
  readCertificate,
  readRequest,
} from '../pki/index.ts'
import { failures } from './failures.ts'

/** Where holders ask for certificates: a stand-in for a hub, with a real authority behind it. */
export interface PassDesk extends Grant<string> {
  readonly caPem: string
  /** Requests are known by name, so asking twice is asking once. Undefined: this holder gets nothing. */
  ask(name: string, holder: string, requestPem: string): Promise<string | undefined>
  readonly issued: number
}

export interface PassDeskOptions {
  clock: Clock
  /** What it issues lives this long; X.509 counts whole seconds. */
  lifeMs: number
  /** Where the authority is kept, so that passes issued before a restart stay good after it. */
  authorityPath: string
}

const tenYearsMs = 10 * 365 * 86_400_000

export async function openPassDesk({ clock, lifeMs, authorityPath }: PassDeskOptions): Promise<PassDesk> {
  const authority = await openAuthority(authorityPath, clock)
  const holders = new Set<string>()
  const certificates = new Map<string, string>()
  return {
    caPem: authority.certPem,
    get issued() {
      return certificates.size
    },
    async ensure(holder) {
      holders.add(holder)
      return done
    },
    async revoke(holder) {
      holders.delete(holder)
      return done
    },
    async ask(name, holder, requestPem) {
      if (!holders.has(holder)) return undefined
      const known = certificates.get(name)
      if (known) return known
      const now = clock.now()
      const certPem = await issueCertificate(authority, readRequest(requestPem), {
        usages: ['client'],
        notBefore: after(now, -1_000),
        notAfter: after(now, lifeMs),
      })
      certificates.set(name, certPem)
      return certPem
    },
  }
}

async function openAuthority(path: string, clock: Clock): Promise<Authority> {
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw failures.DATA_UNUSABLE({ path, detail: error.code }, error)
  })
  if (stored !== undefined) return readAuthority(path, stored)
  const authority = await createAuthority({ commonName: 'lanyard demo authority', clock, lifetimeMs: tenYearsMs })
  await replaceFile(path, JSON.stringify(certifiedKeyCodec.encode(authority)))
  return authority
}

function readAuthority(path: string, stored: string): Authority {
  try {
    return certifiedKeyCodec.decode(JSON.parse(stored))
  } catch (error) {
    throw failures.DATA_DAMAGED({ path, detail: 'it is not whole JSON' }, error)
  }
}

/** The asking half: a new key for each request, named by the digest of its public half. */
export function deskIssuance(desk: PassDesk, holder: string, keptIn: string): Issuance<CertifiedKey> {
  return {
    async next(now, kept, pending) {
      if (!pending) {
        if (kept && !isDue(kept.pass, now) && !isExpired(kept.pass, now)) return { step: 'granted', ...kept }
        const { keyPem } = generateKey()
        const name = `${holder}-${publicKeyDigest(keyPem).slice(0, 16)}`
        return { step: 'waiting', for: reasons.AwaitingIssuer, pending: { name, createdAt: now, material: keyPem } }
      }
      const keyPem = pending.material ?? Secret.of('')
      const request = await createRequest({ keyPem, subject: { commonName: holder } })
      const certPem = await desk.ask(pending.name, holder, request)
      if (!certPem) return { step: 'refused', reason: reasons.PassRevoked }
      return { step: 'granted', pass: passOf(certPem, holder, keptIn, now), material: { certPem, keyPem } }
    },
  }
}

function passOf(certPem: string, holder: string, keptIn: string, now: Date): Pass {
  const { notBefore, notAfter, fingerprint, issuer } = readCertificate(certPem)
  return {
    id: `check/${holder}`,
    kind: 'check',
    holder,
    issuer: issuer.commonName ?? 'unknown',
    issuedAt: notBefore > now ? notBefore : now,
    expiresAt: notAfter,
    keptIn,
    fingerprint,
    state: reasons.PassIssued,
  }
}

export const certifiedKeyCodec: MaterialCodec<CertifiedKey> = {
  encode: ({ certPem, keyPem }) => ({ certPem, keyPem: keyPem.reveal() }),
  decode: (stored) => {
    const { certPem, keyPem } = stored as { certPem: string; keyPem: string }
    return { certPem, keyPem: Secret.of(keyPem) }
  },
}
