import { createPrivateKey, X509Certificate } from 'node:crypto'
import { splitPem } from '../../pki/index.ts'

/** Why a certificate and a key do not belong together: the warnings that the API server gives for a TLS secret. */
export function keyPairFlaws(certPem: string, keyPem: string): string[] {
  const certificate = first(certPem, (label) => label === 'CERTIFICATE')
  if (!certificate) return ['tls: failed to find any PEM data in certificate input']
  const key = first(keyPem, (label) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY'))
  if (!key) return ['tls: failed to find any PEM data in key input']
  try {
    const x509 = new X509Certificate(certificate)
    return x509.checkPrivateKey(createPrivateKey(keyPem)) ? [] : ['tls: private key does not match public key']
  } catch {
    return ['tls: failed to parse certificate or private key']
  }
}

function first(pem: string, isWanted: (label: string) => boolean): Buffer | undefined {
  try {
    return splitPem(pem).find(({ label }) => isWanted(label))?.der
  } catch {
    return undefined
  }
}
