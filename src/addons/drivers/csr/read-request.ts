import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Reason } from '../../../core/reason.ts'
import type { Check, Decoded } from '../../../fleet/csr/approval.ts'
import { clientChecks, decode, firstViolation } from '../../../fleet/csr/approval.ts'
import { reasons as requestReasons } from '../../../fleet/csr/reasons.ts'
import { labels, parseAgentUser } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Sans, Subject } from '../../../pki/index.ts'
import { hasOnlyOwnNames } from './order.ts'
import { reasons } from './reasons.ts'

/** A certificate request of an add-on that is what it says: asked by its cluster's agent, with the key it is for. */
export interface AddonRequest {
  readonly csr: Stored<CertificateSigningRequest>
  readonly cluster: string
  readonly addon: string
  /** The agent that asks, and its user name. */
  readonly agent: string
  readonly requester: string
  readonly signer: string
  readonly subject: Subject
  readonly sans: Sans
  readonly publicKeyPem: string
}

const addonOf = ({ metadata }: CertificateSigningRequest): string => metadata?.labels?.[labels.addonName] ?? ''

/** The agent that made a request, if it is one of the cluster that the request names. Names are compared whole. */
export function askingAgent({ metadata, spec }: CertificateSigningRequest): string | undefined {
  const asks = parseAgentUser(spec.username ?? '')
  return asks && asks.cluster === metadata?.labels?.[labels.clusterName] ? asks.agent : undefined
}

/** Cheap ones first: of those that fail here, no PEM is read and no signature is checked. */
const outerChecks = (signer: string): readonly Check<CertificateSigningRequest>[] => [
  ...clientChecks(signer),
  [reasons.NoAddonLabel, (csr) => addonOf(csr) === ''],
  [reasons.NotAsked, (csr) => askingAgent(csr) === undefined],
]

const innerChecks: readonly Check<Decoded>[] = [
  [requestReasons.KeyNotProven, ({ request }) => !request.signatureValid],
  [reasons.OtherNames, ({ csr, request }) => !hasOnlyOwnNames(addonOf(csr), request.sans)],
  [reasons.OtherNames, ({ request }) => request.subject.others.length > 0],
]

/** What holds for every signer, whoever decides; or the first reason why nobody should decide by it. */
export function readAddonRequest(csr: Stored<CertificateSigningRequest>, signer: string): AddonRequest | Reason {
  const decoded = firstViolation(outerChecks(signer), csr) ?? decode(csr)
  if (typeof decoded === 'string') return decoded
  const why = firstViolation(innerChecks, decoded)
  const agent = askingAgent(csr)
  if (why || agent === undefined) return why ?? reasons.NotAsked
  const { subject, sans, publicKeyPem } = decoded.request
  const requester = csr.spec.username ?? ''
  return { csr, cluster: decoded.cluster, addon: addonOf(csr), agent, requester, signer, subject, sans, publicKeyPem }
}
