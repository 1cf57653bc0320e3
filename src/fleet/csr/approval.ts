import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { isFailure } from '../../core/failure.ts'
import type { Reason } from '../../core/reason.ts'
import type { Stored } from '../../kube/objects.ts'
import type { CertificateRequest } from '../../pki/index.ts'
import { readRequest } from '../../pki/index.ts'
import { clientSigner, clusterGroup, commonGroup, labels, parseAgentUser } from '../names.ts'
import { reasons } from './reasons.ts'

/** A request of an agent for its cluster's certificate, which has passed every check. */
export interface ClusterRequest {
  csr: Stored<CertificateSigningRequest>
  cluster: string
  agent: string
  /** The user that the certificate would make its holder: the common name. */
  user: string
  /** Who asks, as the API server knew them when they asked. */
  requester: string
  publicKeyPem: string
}

/** A reason, and the sentence that must not be true of a request. */
export type Check<T> = readonly [Reason, (asked: T) => boolean]

/** The first sentence that is true wins. */
export const firstViolation = <T>(checks: readonly Check<T>[], asked: T): Reason | undefined =>
  checks.find(([, isViolated]) => isViolated(asked))?.[0]

/** A CSR whose PEM could be read. */
export interface Decoded {
  csr: CertificateSigningRequest
  /** What its label says; empty without one. */
  cluster: string
  request: CertificateRequest
}

const clientUsages: readonly string[] = ['digital signature', 'key encipherment', 'client auth']

/** What every client certificate of a fleet is held to before its PEM is looked at. */
export const clientChecks = (signer: string): readonly Check<CertificateSigningRequest>[] => [
  [reasons.NoClusterLabel, (csr) => clusterOf(csr) === ''],
  [reasons.OtherSigner, ({ spec }) => spec.signerName !== signer],
  [reasons.OtherUsages, ({ spec }) => !asksForClientAuth(spec.usages ?? [])],
]
const agentChecks = clientChecks(clientSigner)

const clusterChecks: readonly Check<Decoded>[] = [
  [reasons.KeyNotProven, ({ request }) => !request.signatureValid],
  [reasons.OtherGroups, ({ cluster, request }) => !isOnly(clusterGroup(cluster), request.subject.organizations)],
  [reasons.OtherUser, ({ cluster, request }) => !isAgentOf(cluster, request.subject.commonName)],
  [reasons.SaysMore, ({ request }) => saysMore(request)],
]

/** The request of a cluster's agent in a CSR, or the first reason why it is not the hub's to decide. */
export function judgeClusterRequest(csr: Stored<CertificateSigningRequest>): ClusterRequest | Reason {
  const decoded = firstViolation(agentChecks, csr) ?? decode(csr)
  if (typeof decoded === 'string') return decoded
  const why = firstViolation(clusterChecks, decoded)
  if (why) return why
  const { subject, publicKeyPem } = decoded.request
  const user = subject.commonName
  const agent = parseAgentUser(user)
  return agent ? { csr, ...agent, user, requester: csr.spec.username ?? '', publicKeyPem } : reasons.OtherUser
}

/** Why the hub must not decide on this CSR; undefined when all is as it should be. */
export function whyNotOurs(csr: Stored<CertificateSigningRequest>): Reason | undefined {
  const judged = judgeClusterRequest(csr)
  return typeof judged === 'string' ? judged : undefined
}

/** With the reason in place of what could not be read. */
export function decode(csr: CertificateSigningRequest): Decoded | Reason {
  try {
    const request = readRequest(Buffer.from(csr.spec.request, 'base64').toString())
    return { csr, cluster: clusterOf(csr), request }
  } catch (error) {
    if (isFailure(error)) return reasons.NotARequest
    throw error
  }
}

/** What became of a CSR. A person may still decide one that is undecided; nobody can take a decision back. */
export function decisionOn({ status }: CertificateSigningRequest): 'none' | 'approved' | 'denied' | 'failed' {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type)
  if (has('Denied')) return 'denied'
  if (has('Failed')) return 'failed'
  return has('Approved') ? 'approved' : 'none'
}

const clusterOf = ({ metadata }: CertificateSigningRequest): string => metadata?.labels?.[labels.clusterName] ?? ''

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** An agent's name is shown to people and kept in an annotation, so it is held to what a cluster's name is. */
function isAgentOf(cluster: string, user: string): boolean {
  const named = parseAgentUser(user)
  return named?.cluster === cluster && dnsLabel.test(named.agent)
}

const asksForClientAuth = (usages: readonly string[]): boolean =>
  usages.includes('client auth') && usages.every((usage) => clientUsages.includes(usage))

function isOnly(group: string, organizations: readonly string[]): boolean {
  const own = organizations.filter((organization) => organization !== commonGroup)
  return own.length === 1 && own[0] === group
}

const saysMore = ({ subject, sans }: CertificateRequest): boolean =>
  Object.values(sans).some((names) => names.length > 0) ||
  subject.organizationalUnits.length > 0 ||
  subject.others.length > 0
