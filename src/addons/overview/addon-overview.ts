import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition, ConditionStatus } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import { decisionOn } from '../../fleet/csr/approval.ts'
import { addonConditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { isRegistered } from '../drivers/csr/judge.ts'
import type { AddonRequest } from '../drivers/csr/read-request.ts'
import { readAddonRequest } from '../drivers/csr/read-request.ts'
import type { DriverName, RegistrationItem } from '../registrations.ts'
import { installNamespaceOf, itemsOf } from '../registrations.ts'
import type { Trouble } from './troubles.ts'
import { troublesOf } from './troubles.ts'

/** How far an add-on is with what it needs. `none`: it needs nothing. */
export type CredentialState = 'none' | 'waiting' | 'valid' | 'failed' | 'expired'

/** How an add-on stands on one cluster, in the terms people ask for. */
export interface AddonOverview {
  readonly cluster: string
  readonly addon: string
  /** How it comes to the API server of the hub. Absent: it does not, or its agent has not said. */
  readonly driver?: DriverName
  /** Absent: nobody has said. */
  readonly available?: ConditionStatus
  /** The worst of its credentials. */
  readonly credential: CredentialState
  /** Of the one that ends first. */
  readonly credentialExpiresAt?: Date
  readonly credentials: readonly CredentialOverview[]
  /** On the managed cluster. */
  readonly namespace: string
  readonly isDeleting: boolean
  /** CSRs that the cluster's agent made for a registration of the add-on, and that nobody has decided on. */
  readonly pendingRequests: readonly string[]
  /** What is wrong, what explains the rest first. */
  readonly troubles: readonly Trouble[]
  readonly createdAt: Date
}

export interface CredentialOverview {
  readonly type: RegistrationItem['type']
  readonly signer: string
  readonly driver?: DriverName
  readonly user?: string
  readonly groups: readonly string[]
  /** `namespace/name` on the managed cluster. */
  readonly secret: string
}

export function addonOverview(
  addon: Stored<ManagedClusterAddOn>,
  csrs: readonly Stored<CertificateSigningRequest>[],
  now: Date,
): AddonOverview {
  const { name, namespace: cluster = '', deletionTimestamp, creationTimestamp } = addon.metadata
  const conditions = conditionsOf(addon)
  const items = itemsOf(addon)
  const driver = items.find(({ type }) => type === 'kubeClient')?.driver
  const available = findCondition(conditions, addonConditions.available)?.status
  const proofs = proofsOf(items, conditions, now)
  const ends = proofs.flatMap(({ expiresAt }) => expiresAt ?? []).sort((a, b) => a.getTime() - b.getTime())
  const waiting = waitingRequests(addon, csrs)
  return {
    cluster,
    addon: name,
    ...(driver && { driver }),
    ...(available && { available }),
    credential: worstFirst.find((state) => proofs.some((proof) => proof.state === state)) ?? 'none',
    ...(ends[0] && { credentialExpiresAt: ends[0] }),
    credentials: items.map(asCredential),
    namespace: installNamespaceOf(addon),
    isDeleting: deletionTimestamp !== undefined,
    pendingRequests: waiting.map(({ csr }) => csr.metadata.name),
    troubles: troublesOf({ cluster, addon, items, conditions, proofs, waiting }),
    createdAt: new Date(String(creationTimestamp)),
  }
}

/** Those that a person may have to decide on. What is only labelled so, or asks to be somebody else, is not advertised. */
const waitingRequests = (
  addon: Stored<ManagedClusterAddOn>,
  csrs: readonly Stored<CertificateSigningRequest>[],
): AddonRequest[] =>
  csrs
    .filter((csr) => decisionOn(csr) === 'none')
    .map((csr) => readAddonRequest(csr, csr.spec.signerName))
    .filter((request) => typeof request !== 'string')
    .filter((request) => isRegistered(addon, request))

export const conditionsOf = ({ status }: ManagedClusterAddOn): Condition[] => (status?.conditions ?? []) as Condition[]

const worstFirst: readonly CredentialState[] = ['failed', 'expired', 'waiting', 'valid']

/** What is known of the credentials of one driver. */
export interface Proof {
  readonly driver: DriverName
  readonly state: CredentialState
  readonly condition?: Condition
  readonly expiresAt?: Date
}

function proofsOf(items: readonly RegistrationItem[], conditions: readonly Condition[], now: Date): Proof[] {
  const drivers = new Set(items.map(({ type, driver }) => (type === 'customSigner' ? 'csr' : driver)))
  return [...drivers].map((driver): Proof => {
    // Undeclared: its agent has not taken it up.
    if (driver === undefined) return { driver: 'csr', state: 'waiting' }
    const condition = told[driver].map((type) => findCondition(conditions, type)).find((one) => one !== undefined)
    if (!condition) return { driver, state: 'waiting' }
    if (condition.status !== 'True') return { driver, state: 'failed', condition }
    const expiresAt = endIn(condition.message)
    const state = expiresAt && expiresAt <= now ? 'expired' : 'valid'
    return { driver, state, condition, ...(expiresAt && { expiresAt }) }
  })
}

const told: Readonly<Record<DriverName, readonly string[]>> = {
  csr: [addonConditions.certificateRotated],
  token: addonConditions.tokenRefreshed,
}

/** The last time that the message names: the hub has no other word of the end of a credential. */
function endIn(message: string): Date | undefined {
  const times = message.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g)
  const end = new Date(times?.at(-1) ?? '')
  return Number.isNaN(end.getTime()) ? undefined : end
}

const asCredential = ({ type, signer, driver, subject, secret }: RegistrationItem): CredentialOverview => ({
  type,
  signer,
  ...(driver && { driver }),
  ...(subject.user && { user: subject.user }),
  groups: subject.groups ?? [],
  secret: `${secret.namespace}/${secret.name}`,
})
