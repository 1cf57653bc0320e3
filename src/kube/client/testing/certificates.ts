import { after, systemClock } from '../../../core/clock.ts'
import type { Authority, CertifiedKey, Sans } from '../../../pki/index.ts'
import { createAuthority, generateKey, issueCertificate } from '../../../pki/index.ts'

const dayMs = 86_400_000

/** An authority that tests may trust, and what it vouches for. */
export interface TestAuthority {
  readonly caPem: string
  server(sans?: Partial<Sans>): Promise<CertifiedKey>
  client(commonName: string): Promise<CertifiedKey>
}

export async function testAuthority(commonName = 'test-ca'): Promise<TestAuthority> {
  const authority: Authority = await createAuthority({ commonName, clock: systemClock, lifetimeMs: dayMs })
  const issue = async (name: string, usage: 'server' | 'client', sans: Partial<Sans> = {}) => {
    const { keyPem, publicKeyPem } = generateKey()
    const now = systemClock.now()
    const holder = { subject: { commonName: name }, publicKeyPem, sans }
    const terms = { usages: [usage], notBefore: after(now, -dayMs), notAfter: after(now, dayMs) }
    return { certPem: await issueCertificate(authority, holder, terms), keyPem }
  }
  return {
    caPem: authority.certPem,
    server: (sans = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }) => issue('server', 'server', sans),
    client: (name) => issue(name, 'client'),
  }
}
