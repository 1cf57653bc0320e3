import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Reason } from '../../../core/reason.ts'
import type { Check, Decoded } from '../../../fleet/csr/approval.ts'
import { clientChecks, decode, firstViolation } from '../../../fleet/csr/approval.ts'
import { reasons as requestReasons } from '../../../fleet/csr/reasons.ts'
import { clusterGroups, labels, parseAgentUser } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Sans, Subject } from '../../../pki/index.ts'
import { hasOnlyOwnNames } from './order.ts'
import { reasons } from './reasons.ts'

/** A certificate request of an add-on that is what it says: asked by its cluster's agent, with the key it is for. */
export interface AddonRequest {
  readonly csr: Stored<CertificateSigningRequest>
  readonly cluster: string
  readonly addon: string
  /** The agent that asks; undefined where its identity does not name it, as that of an AWS role. */
  readonly agent: string | undefined
  /** Its user name. */
  readonly requester: string
  readonly signer: string
  readonly subject: Subject
  readonly sans: Sans
  readonly publicKeyPem: string
}

const addonOf = ({ metadata }: CertificateSigningRequest): string => metadata?.labels?.[labels.addonName] ?? ''

/**
 * Whether an agent of the cluster that the request names made it: by its user name or, where that is not one of a
 * certificate, by a group that only the agents of the cluster are in. Names are compared whole.
 */
export function isAskedByAgent({ metadata, spec: { username = '', groups = [] } }: CertificateSigningRequest): boolean {
  const cluster = metadata?.labels?.[labels.clusterName] ?? ''
  const named = parseAgentUser(username)
  if (named) return named.cluster === cluster
  return cluster !== '' && clusterGroups(cluster).some((group) => groups.includes(group))
}

/** Cheap ones first: of those that fail here, no PEM is read and no signature is checked. */
const outerChecks = (signer: string): readonly Check<CertificateSigningRequest>[] => [
  ...clientChecks(signer),
  [reasons.NoAddonLabel, (csr) => addonOf(csr) === ''],
  [reasons.NotAsked, (csr) => !isAskedByAgent(csr)],
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
  if (why) return why
  const { subject, sans, publicKeyPem } = decoded.request
  const requester = csr.spec.username ?? ''
  const agent = parseAgentUser(requester)?.agent
  return { csr, cluster: decoded.cluster, addon: addonOf(csr), agent, requester, signer, subject, sans, publicKeyPem }
}
