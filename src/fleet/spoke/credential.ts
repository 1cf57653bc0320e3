import type { Connection } from '../../kube/connection.ts'
import { fingerprintOf } from '../account-token.ts'
import { unverifiedClaims } from '../identity/unverified.ts'
import type { Credential, KubeconfigWay, OidcWay, Token } from './contract.ts'
import { certificateIn } from './kubeconfig-way.ts'

export const credentialOfToken = (way: OidcWay, token: Token): Credential => ({
  issuer: way.issuer,
  issuedAt: token.issuedAt,
  expiresAt: token.expiresAt,
  fingerprint: fingerprintOf(token.value),
  keptIn: 'memory of the hub',
  ...(token.refused !== undefined && { refused: token.refused }),
})

/** Dates are told where what is shown has any: a certificate does, and a token that is a JWT. */
export async function credentialIn(connection: Connection, { kubeconfig }: KubeconfigWay): Promise<Credential> {
  const { certificate, authorization } = (await connection.credentials?.()) ?? {}
  const keptIn = `secret/${kubeconfig.namespace}/${kubeconfig.name}`
  if (certificate) {
    const shown = certificateIn(certificate.certPem, 'client-certificate-data')
    const { issuer, notBefore, notAfter, fingerprint } = shown
    return { issuer: issuer.commonName ?? '', issuedAt: notBefore, expiresAt: notAfter, fingerprint, keptIn }
  }
  if (!authorization) return { issuer: connection.server, fingerprint: '', keptIn }
  const { iss, iat, exp } = unverifiedClaims(authorization.reveal()) ?? {}
  return {
    issuer: typeof iss === 'string' ? iss : connection.server,
    ...(typeof iat === 'number' && { issuedAt: new Date(iat * 1_000) }),
    ...(typeof exp === 'number' && { expiresAt: new Date(exp * 1_000) }),
    fingerprint: fingerprintOf(authorization),
    keptIn,
  }
}
