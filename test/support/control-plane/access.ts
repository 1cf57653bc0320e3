import { readFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { Secret } from '../../../src/core/secret.ts'
import type { Authority, CertifiedKey } from '../../../src/pki/index.ts'
import { readAuditLog } from './audit.ts'
import type { ControlPlane, KubeconfigUser } from './contract.ts'
import { issueForClient, writeSecret } from './identities.ts'

/** All there is to know to use a control plane, in this process or another one. */
export interface Facts {
  url: string
  caPem: string
  admin: CertifiedKey
  clientCa: Authority
  adminKubeconfigPath: string
  auditLogPath: string
  descriptorPath: string
}

/** A control plane that runs already, as its tests see it. */
export function accessTo(facts: Facts): ControlPlane {
  const { url, caPem, admin, clientCa, adminKubeconfigPath, auditLogPath, descriptorPath } = facts
  return {
    url,
    caPem,
    admin,
    adminKubeconfigPath,
    descriptorPath,
    connection: (credentials = { certificate: admin }) => ({
      server: url,
      tls: { ca: caPem },
      credentials: async () => credentials,
    }),
    kubeconfig: (user = { certificate: admin }) => kubeconfigOf(facts, user),
    issueClientCertificate: (holder) => issueForClient(clientCa, holder),
    auditEvents: () => readAuditLog(auditLogPath),
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export function kubeconfigOf({ url, caPem }: Pick<Facts, 'url' | 'caPem'>, user: KubeconfigUser): string {
  const { certificate, token } = user
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [
      {
        name: 'test',
        user: {
          ...(certificate && {
            'client-certificate-data': base64(certificate.certPem),
            'client-key-data': base64(certificate.keyPem.reveal()),
          }),
          ...(token && { token: token.reveal() }),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  })
}

/** Writes the admin's kubeconfig and what `attach` reads. */
export async function publish(facts: Facts): Promise<void> {
  const revealed = (key: CertifiedKey) => ({ certPem: key.certPem, keyPem: key.keyPem.reveal() })
  const { admin, clientCa } = facts
  await writeSecret(facts.adminKubeconfigPath, kubeconfigOf(facts, { certificate: admin }))
  await writeSecret(
    facts.descriptorPath,
    JSON.stringify({ ...facts, admin: revealed(admin), clientCa: revealed(clientCa) }),
  )
}

/** The control plane that another process runs. */
export function attach(descriptorPath: string): ControlPlane {
  const facts = JSON.parse(readFileSync(descriptorPath, 'utf8'))
  const hidden = (key: { certPem: string; keyPem: string }) => ({ ...key, keyPem: Secret.of(key.keyPem) })
  return accessTo({ ...facts, admin: hidden(facts.admin), clientCa: hidden(facts.clientCa) })
}
