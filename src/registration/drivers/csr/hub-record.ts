import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import { isFailure } from '../../../core/failure.ts'
import type { ClusterRequest } from '../../../fleet/csr/approval.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { annotations } from '../../../fleet/names.ts'
import { readCertificate } from '../../../pki/index.ts'

/** A certificate of a cluster's agent, as the hub writes it down. */
export interface CertificateRecord {
  agent: string
  issuedAt: Date
  expiresAt: Date
  fingerprint: string
}

/** The same, while its CSR is there. */
export interface Issued extends CertificateRecord {
  /** The version of the CSR that brought it. */
  version: string
}

/** What a request came to; undefined while it has no certificate that can be read. */
export function issuedFor({ csr, agent }: ClusterRequest): Issued | undefined {
  const pem = csr.status?.certificate
  if (!pem || decisionOn(csr) !== 'approved') return undefined
  try {
    const { notBefore, notAfter, fingerprint } = readCertificate(Buffer.from(pem, 'base64').toString())
    // Signers back-date. The time of the approval would be closer, but the clock of whoever approves sets it.
    const askedAt = new Date(csr.metadata.creationTimestamp ?? notBefore)
    const issuedAt = askedAt > notBefore ? askedAt : notBefore
    return { agent, issuedAt, expiresAt: notAfter, fingerprint, version: csr.metadata.resourceVersion }
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

/** What the hub wrote down of the newest certificate of a cluster: nothing, unless it says whose. */
export function recordedOn({ metadata }: ManagedCluster): Partial<CertificateRecord> {
  const written = metadata?.annotations ?? {}
  const agent = written[annotations.agentName]
  if (agent === undefined) return {}
  const issuedAt = dateIn(written[annotations.certificateIssuedAt])
  const expiresAt = dateIn(written[annotations.certificateExpiresAt])
  const fingerprint = written[annotations.certificateFingerprint]
  return {
    agent,
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
  const successor = successorOf(cluster, recorded, issued)
  const newest = successor ?? issued.toSorted(byIssue).at(-1)
  if (!newest || !(successor || isNews(newest, recorded, issued))) return undefined
  const { agent, expiresAt, fingerprint } = newest
  // It may have asked before its predecessor did, but it is the newest: nothing of before must come after it.
  const issuedAt = successor ? laterThan(recorded.issuedAt, newest.issuedAt) : newest.issuedAt
  return {
    [annotations.agentName]: agent,
    [annotations.certificateIssuedAt]: rfc3339(issuedAt),
    [annotations.certificateExpiresAt]: rfc3339(expiresAt),
    [annotations.certificateFingerprint]: fingerprint,
    ...(cluster.metadata?.annotations?.[annotations.replaceAgent] === agent && { [annotations.replaceAgent]: null }),
  }
}

/** The certificate of the agent that an administrator lets replace the one on record, once it is there. */
function successorOf(
  { metadata }: ManagedCluster,
  recorded: Partial<CertificateRecord>,
  issued: readonly Issued[],
): Issued | undefined {
  const invited = metadata?.annotations?.[annotations.replaceAgent]
  if (invited === undefined || recorded.agent === undefined || recorded.agent === invited) return undefined
  const before = issued.find(({ fingerprint }) => fingerprint === recorded.fingerprint)
  return issued
    .filter((one) => one.agent === invited && (!before || byVersion(before, one) < 0))
    .toSorted(byIssue)
    .at(-1)
}

const laterThan = (before: Date | undefined, own: Date): Date =>
  before && before >= own ? new Date(before.getTime() + 1_000) : own

function isNews(newest: Issued, recorded: Partial<CertificateRecord>, issued: readonly Issued[]): boolean {
  if (newest.fingerprint === recorded.fingerprint) return false
  if (newest.issuedAt.getTime() !== recorded.issuedAt?.getTime())
    return !recorded.issuedAt || newest.issuedAt > recorded.issuedAt
  const isStillThere = issued.some(({ fingerprint }) => fingerprint === recorded.fingerprint)
  return isStillThere || !recorded.expiresAt || newest.expiresAt > recorded.expiresAt
}

/** Times are whole seconds; of the same one, the server's versions tell which came first. */
const byIssue = (a: Issued, b: Issued): number => a.issuedAt.getTime() - b.issuedAt.getTime() || byVersion(a, b)

const byVersion = (a: Issued, b: Issued): number =>
  a.version.length - b.version.length || Number(a.version > b.version) - Number(a.version < b.version)

function dateIn(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text)
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}
