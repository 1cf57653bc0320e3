import { writeFile } from 'node:fs/promises'
import { after, systemClock } from '../../../src/core/clock.ts'
import type { Authority, CertifiedKey, Sans, SubjectInput, Usage } from '../../../src/pki/index.ts'
import { createAuthority, generateKey, issueCertificate } from '../../../src/pki/index.ts'
import type { ClientCertificateInput } from './contract.ts'
import type { Paths } from './paths.ts'

const dayMs = 24 * 3_600_000
const backdateMs = 5 * 60_000

/** Whom a control plane trusts. Servers and clients have authorities of their own, so that one is never taken for the other. */
export interface Identities {
  serverCaPem: string
  clientCa: Authority
  admin: CertifiedKey
}

const serverNames: Partial<Sans> = {
  dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
  ipAddresses: ['127.0.0.1', '10.0.0.1'],
}

/** Makes all keys and certificates of a control plane and writes down those that its programs read. */
export async function createIdentities(paths: Paths): Promise<Identities> {
  const [serverCa, clientCa] = [await testAuthority('test-server-ca'), await testAuthority('test-client-ca')]
  const server = await issueForServer(serverCa, serverNames)
  const admin = await issueForClient(clientCa, {
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
    lifetimeMs: 30 * dayMs,
  })
  const serviceAccounts = generateKey()
  await Promise.all([
    writeFile(paths.serverCaCert, serverCa.certPem),
    writeFile(paths.serverCert, server.certPem),
    writeSecret(paths.serverKey, server.keyPem.reveal()),
    writeFile(paths.clientCaCert, clientCa.certPem),
    writeSecret(paths.clientCaKey, clientCa.keyPem.reveal()),
    writeSecret(paths.serviceAccountKey, serviceAccounts.keyPem.reveal()),
    writeFile(paths.serviceAccountPublicKey, serviceAccounts.publicKeyPem),
  ])
  return { serverCaPem: serverCa.certPem, clientCa, admin }
}

export const testAuthority = (commonName: string): Promise<Authority> =>
  createAuthority({ commonName, clock: systemClock, lifetimeMs: 30 * dayMs })

export const issueForClient = (clientCa: Authority, holder: ClientCertificateInput): Promise<CertifiedKey> => {
  const { commonName, organizations = [], lifetimeMs = dayMs } = holder
  return issue(clientCa, { commonName, organizations }, ['client'], lifetimeMs)
}

export const issueForServer = (authority: Authority, sans: Partial<Sans>): Promise<CertifiedKey> =>
  issue(authority, { commonName: 'test-server' }, ['server'], 30 * dayMs, sans)

async function issue(
  authority: Authority,
  subject: SubjectInput,
  usages: readonly Usage[],
  lifetimeMs: number,
  sans: Partial<Sans> = {},
): Promise<CertifiedKey> {
  const { keyPem, publicKeyPem } = generateKey()
  const now = systemClock.now()
  const certPem = await issueCertificate(
    authority,
    { subject, publicKeyPem, sans },
    { usages, notBefore: after(now, -backdateMs), notAfter: after(now, lifetimeMs) },
  )
  return { certPem, keyPem }
}

/** Only the owner may read it. */
export const writeSecret = (path: string, content: string): Promise<void> => writeFile(path, content, { mode: 0o600 })
