import { createHash } from 'node:crypto'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Secret } from '../../core/secret.ts'
import type { Sans, Subject, SubjectInput } from '../../pki/index.ts'
import { createRequest, publicKeyDigest, publicKeyOf, readRequest } from '../../pki/index.ts'
import { agentUser, clientSigner, clusterGroup, labels } from '../names.ts'

/** What a certificate is asked for with: everything but the key. */
export interface CsrOrder {
  /** What the names of its requests begin with, the dash included. */
  readonly prefix: string
  readonly subject: SubjectInput
  readonly labels: Readonly<Record<string, string>>
  /** Default: the signer of client certificates. */
  readonly signer?: string
  readonly sans?: Partial<Sans>
  /** Absent or 0: as long as the signer gives. */
  readonly expirationSeconds?: number
}

/** What the agent of a cluster asks for. One organization and no more: other hubs of the field accept that too. */
export const agentOrder = (cluster: string, agent: string, expirationSeconds = 0): CsrOrder => ({
  prefix: `${cluster}-`,
  subject: agentSubject(cluster, agent),
  labels: { [labels.clusterName]: cluster },
  expirationSeconds,
})

export const agentSubject = (cluster: string, agent: string): SubjectInput => ({
  commonName: agentUser(cluster, agent),
  organizations: [clusterGroup(cluster)],
})

/**
 * Follows from the subject, a signer that is given and the key's public half, so that a restart finds its request again
 * and makes no second.
 */
export function requestName({ prefix, subject, signer }: CsrOrder, keyPem: Secret): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(wholeSubject(subject)))
    .update(signer ?? '')
    .update(publicKeyDigest(keyPem))
    .digest('hex')
  return `${prefix}${digest.slice(0, 32)}`
}

/** The object to create. Its bytes differ at each call, because ECDSA signs with a random number. */
export async function csrObject(order: CsrOrder, keyPem: Secret): Promise<CertificateSigningRequest> {
  const { subject, sans, signer = clientSigner, expirationSeconds = 0 } = order
  const pem = await createRequest({ keyPem, subject, ...(sans && { sans }) })
  return {
    metadata: { name: requestName(order, keyPem), labels: { ...order.labels } },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: signer,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      ...(expirationSeconds > 0 && { expirationSeconds }),
    },
  }
}

/** Whether this request asks for the same as ours, with our key. Anybody may have taken its name. */
export function isOurs(csr: CertificateSigningRequest, order: CsrOrder, keyPem: Secret): boolean {
  if (csr.spec.signerName !== (order.signer ?? clientSigner)) return false
  try {
    const asked = readRequest(Buffer.from(csr.spec.request, 'base64').toString())
    return asked.publicKeyPem === publicKeyOf(keyPem) && isSameSubject(asked.subject, order.subject)
  } catch {
    return false
  }
}

/** Compared whole; the order of organizations does not matter, signers sort them. */
export const isSameSubject = (a: SubjectInput, b: SubjectInput): boolean =>
  JSON.stringify(wholeSubject(a)) === JSON.stringify(wholeSubject(b))

const wholeSubject = ({
  commonName,
  organizations = [],
  organizationalUnits = [],
}: SubjectInput): Partial<Subject> => ({
  commonName,
  organizations: [...organizations].sort(),
  organizationalUnits: [...organizationalUnits].sort(),
})
