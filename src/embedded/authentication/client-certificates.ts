import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { joinPem, readCertificate, whyUntrusted } from '../../pki/index.ts'
import type { Verdict } from './verdict.ts'
import { credentialIdKey } from './verdict.ts'

export interface ClientCertificatesDeps {
  clock: Pick<Clock, 'now'>
  /** Authorities of clients. */
  caPem: string
}

interface Known {
  readonly verdict: Verdict | undefined
  readonly until: number
}

const mostRemembered = 4096
/** An authority may end before the certificates it issued; then they end with it, if not to the second. */
const rememberedMs = 10 * 60_000

/** The holders of certificates that the client authority issued: the common name is the user, organizations are groups. */
export class ClientCertificates {
  readonly #deps: ClientCertificatesDeps
  readonly #known = new BoundedMap<string, Known>(mostRemembered)
  /** A connection brings one and the same buffer with all of its requests. */
  readonly #digests = new WeakMap<Buffer, string>()

  constructor(deps: ClientCertificatesDeps) {
    this.#deps = deps
  }

  /** Undefined for a good certificate that names nobody. */
  authenticate(der: Buffer): Verdict | undefined {
    const digest = this.#digestOf(der)
    const now = this.#deps.clock.now()
    const known = this.#known.get(digest)
    if (known && now.getTime() < known.until) return known.verdict
    try {
      const pem = joinPem([{ label: 'CERTIFICATE', der }])
      const why = whyUntrusted(pem, this.#deps.caPem, now, { usage: 'client' })
      if (why) return { error: `verifying certificate failed: ${why}` }
      const { subject, notAfter } = readCertificate(pem)
      const { commonName: name, organizations: groups } = subject
      const extra = { [credentialIdKey]: [`X509SHA256=${digest}`] }
      const verdict = name === '' ? undefined : { user: { name, groups, extra }, audiences: [] }
      // The second of its end still belongs to a certificate.
      const until = Math.min(notAfter.getTime() + 1000, now.getTime() + rememberedMs)
      this.#known.set(digest, { verdict, until })
      return verdict
    } catch (error) {
      if (isFailure(error)) return { error: `verifying certificate failed: ${error.message}` }
      throw error
    }
  }

  #digestOf(der: Buffer): string {
    let digest = this.#digests.get(der)
    if (digest === undefined) {
      digest = createHash('sha256').update(der).digest('hex')
      this.#digests.set(der, digest)
    }
    return digest
  }
}
