import { createHash, X509Certificate } from 'node:crypto'
import { joinPem, splitPem } from '../pki/index.ts'

/** `sha256:<hex>` of a CA's public key, as `kubeadm` writes it. A pin is not a secret. */
const pinOf = (der: Buffer): string => {
  const spki = new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' })
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`
}

const certificates = (caPem: string) => splitPem(caPem).filter(({ label }) => label === 'CERTIFICATE')

/** One for each certificate of a bundle. */
export const pinsOf = (caPem: string): string[] => [...new Set(certificates(caPem).map(({ der }) => pinOf(der)))]

/**
 * Only those certificates of a bundle whose pins are given. The others go: whoever wrote the bundle may have put one of
 * their own beside the one that is pinned.
 */
export function pinnedOnes(caPem: string, pins: readonly string[]): string | undefined {
  const wanted = new Set(pins.map((pin) => pin.toLowerCase()))
  const pinned = certificates(caPem).filter(({ der }) => wanted.has(pinOf(der)))
  return pinned.length > 0 ? joinPem(pinned) : undefined
}
