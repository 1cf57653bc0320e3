import { systemClock } from '../../src/core/clock.ts'
import { createAuthority, generateKey, issueCertificate } from '../../src/pki/index.ts'

const lifetimeMs = 24 * 3_600_000

/** What stand-ins on loopback show, and who vouches for it. */
export async function standInCertificate() {
  const authority = await createAuthority({ commonName: 'bench', clock: systemClock, lifetimeMs })
  const { keyPem, publicKeyPem } = generateKey()
  const now = systemClock.now()
  const certPem = await issueCertificate(
    authority,
    { subject: { commonName: 'stand-in' }, publicKeyPem, sans: { ipAddresses: ['127.0.0.1'] } },
    { usages: ['server'], notBefore: now, notAfter: new Date(now.getTime() + lifetimeMs) },
  )
  return { caPem: authority.certPem, tls: { cert: certPem, key: keyPem.reveal() } }
}

/** How a hub gets into a stand-in, which lets everybody in. */
export const standInKubeconfig = (server: string | undefined, caPem: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'it', cluster: { server, 'certificate-authority-data': base64(caPem) } }],
    users: [{ name: 'it', user: { token: 'token' } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    'current-context': 'it',
  })

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
