import type { KeyObject } from 'node:crypto'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/

/** Whether the text has a certificate to trust in it. A leaf is as good as an authority. */
export const holdsCertificate = (pem: string): boolean => parseCertificate(pem) !== undefined

/** The first certificate of a PEM text. */
export function parseCertificate(pem: string): X509Certificate | undefined {
  const [block] = certificateBlock.exec(pem) ?? []
  return block === undefined ? undefined : orUndefined(() => new X509Certificate(block))
}

/** The first certificate of a PEM text, alone: of a chain, of a text that holds a key too, without what is between blocks. */
export const firstCertificate = (pem: string): string | undefined => parseCertificate(pem)?.toString()

/** Undefined for what is no private key, and for one that asks for a passphrase. */
export const parsePrivateKey = (pem: Secret): KeyObject | undefined => orUndefined(() => createPrivateKey(pem.reveal()))

// What the parser threw is dropped: it may quote what it read.
function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
