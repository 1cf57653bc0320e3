import type { SecureContext } from 'node:tls'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { Connection, Credentials } from '../connection.ts'
import { failures } from '../failures.ts'

/** What a TLS session is made with. While two are the same, requests may share a connection. */
export interface Identity {
  readonly ca: string | undefined
  readonly certificate: Credentials['certificate']
}

export const identityOf = (connection: Connection, credentials: Credentials | undefined): Identity => ({
  ca: connection.tls.ca,
  certificate: credentials?.certificate,
})

/** Compared by what is in them: a reader may hand out equal PEM as a new object each time. */
export const isSameIdentity = (a: Identity, b: Identity): boolean =>
  a.ca === b.ca && isSameCertificate(a.certificate, b.certificate)

/** The key counts, too: of a pair that is being replaced, the certificate may be seen before its key. */
const isSameCertificate = (a: Identity['certificate'], b: Identity['certificate']): boolean =>
  a === b || (a !== undefined && b !== undefined && a.certPem === b.certPem && a.keyPem.equals(b.keyPem))

export function secureContextOf({ ca, certificate }: Identity): SecureContext {
  try {
    return createSecureContext({
      ca: ca ?? systemRoots(),
      minVersion: 'TLSv1.2',
      // A leaf, or an intermediate, given as CA is trusted as itself, as Go does; OpenSSL asks for a root otherwise.
      allowPartialTrustChain: true,
      ...(certificate && { cert: certificate.certPem, key: certificate.keyPem.reveal() }),
    })
  } catch (cause) {
    throw failures.KUBE_BAD_CONNECTION(
      { detail: 'the CA, the client certificate or its key is not valid PEM, or the key does not fit the certificate' },
      cause,
    )
  }
}

/** The machine's own roots, so that a company's CA counts as it does for kubectl; Node's list where a machine has none. */
export function systemRoots(): string[] {
  const system = getCACertificates('system')
  return [...(system.length > 0 ? system : getCACertificates('bundled')), ...getCACertificates('extra')]
}
