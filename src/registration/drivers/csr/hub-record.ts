import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import { isFailure } from '../../../core/failure.ts'
import type { ClusterRequest } from '../../../fleet/csr/approval.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { annotations } from '../../../fleet/names.ts'
import { readCertificate } from '../../../pki/index.ts'

/** A certificate that an agent of a cluster got. */
export interface Issued {
  agent: string
  issuedAt: Date
  expiresAt: Date
  fingerprint: string
}

/** What a request came to; undefined while it has no certificate that can be read. */
export function issuedFor({ csr, agent }: ClusterRequest): Issued | undefined {
  const pem = csr.status?.certificate
  if (!pem || decisionOn(csr) !== 'approved') return undefined
  try {
    const { notBefore, notAfter, fingerprint } = readCertificate(Buffer.from(pem, 'base64').toString())
    // Signers back-date. The time of the approval would be closer, but the clock of whoever approves sets it.
    const askedAt = new Date(csr.metadata.creationTimestamp ?? notBefore)
    return { agent, issuedAt: askedAt > notBefore ? askedAt : notBefore, expiresAt: notAfter, fingerprint }
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

/** What the hub wrote down of the newest certificate of a cluster. */
export function recordedOn({ metadata }: ManagedCluster): Partial<Issued> {
  const written = metadata?.annotations ?? {}
  const agent = written[annotations.agentName]
  const issuedAt = dateIn(written[annotations.certificateIssuedAt])
  const expiresAt = dateIn(written[annotations.certificateExpiresAt])
  const fingerprint = written[annotations.certificateFingerprint]
  return {
    ...(agent !== undefined && { agent }),
    ...(issuedAt && { issuedAt }),
    ...(expiresAt && { expiresAt }),
    ...(fingerprint !== undefined && { fingerprint }),
  }
}

/**
 * The annotations to write for the newest of these certificates; undefined when a newer one is on record. The leave of
 * an administrator to replace an agent is used up by the certificate it was given for.
 */
export function recordToWrite(
  cluster: ManagedCluster,
  issued: readonly Issued[],
): Record<string, string | null> | undefined {
  const recorded = recordedOn(cluster)
  const newest = issued.reduce<Partial<Issued>>((a, b) => (isNewer(b, a) ? b : a), recorded)
  if (newest === recorded) return undefined
  const { agent, issuedAt, expiresAt, fingerprint } = newest as Issued
  return {
    [annotations.agentName]: agent,
    [annotations.certificateIssuedAt]: rfc3339(issuedAt),
    [annotations.certificateExpiresAt]: rfc3339(expiresAt),
    [annotations.certificateFingerprint]: fingerprint,
    ...(cluster.metadata?.annotations?.[annotations.replaceAgent] === agent && { [annotations.replaceAgent]: null }),
  }
}

const isNewer = (a: Issued, b: Partial<Issued>): boolean => {
  if (b.issuedAt?.getTime() !== a.issuedAt.getTime()) return !b.issuedAt || a.issuedAt > b.issuedAt
  return !b.expiresAt || a.expiresAt > b.expiresAt
}

function dateIn(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text)
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}
