import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import { addonConditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AddonRequest } from '../drivers/csr/read-request.ts'
import type { RegistrationItem } from '../registrations.ts'
import { installNamespaceOf } from '../registrations.ts'
import type { Proof } from './addon-overview.ts'

/** What can be wrong with an add-on. The id is stable: docs, tests and programs go by it. */
export const addonCauses = {
  'addon-leaving': 'The add-on is being removed from the cluster.',
  'addon-refused': 'A registration of the add-on cannot be carried out as it stands.',
  'addon-not-taken-up': 'The agent of the cluster has not said how the add-on comes to the hub.',
  'addon-account-missing': 'The hub has not made the account of the add-on.',
  'addon-csr-pending': 'A certificate request of the add-on waits, and the hub does not approve it by itself.',
  'addon-credential-missing': 'The add-on has no credential.',
  'addon-credential-expired': 'The credential of the add-on has run out.',
  'addon-silent': 'The add-on does not show that it works.',
} as const

export interface Trouble {
  readonly id: keyof typeof addonCauses
  /** What shows it. Never a secret. */
  readonly evidence: string
  /** The next thing to do, with the command where there is one. */
  readonly fix: string
}

export interface Situation {
  readonly cluster: string
  readonly addon: Stored<ManagedClusterAddOn>
  readonly items: readonly RegistrationItem[]
  readonly conditions: readonly Condition[]
  readonly proofs: readonly Proof[]
  readonly waiting: readonly AddonRequest[]
}

type Look = (situation: Situation) => Trouble | undefined

/** What is wrong, what explains the others first. */
export const troublesOf = (situation: Situation): Trouble[] =>
  looks.map((look) => look(situation)).filter((trouble) => trouble !== undefined)

const isLeaving: Look = ({ addon: { metadata } }) =>
  metadata.deletionTimestamp === undefined
    ? undefined
    : {
        id: 'addon-leaving',
        evidence: `deleted at ${metadata.deletionTimestamp}, held by ${(metadata.finalizers ?? []).join(', ') || 'nobody'}`,
        fix: 'wait until whoever holds it has cleaned up',
      }

const isRefused: Look = ({ cluster, addon, conditions }) => {
  const applied = findCondition(conditions, addonConditions.registrationApplied)
  if (applied?.status !== 'False') return undefined
  const fix = `do what it says; the registrations are written by its hub controller: kubectl -n ${cluster} get managedclusteraddon ${addon.metadata.name} -o yaml`
  return { id: 'addon-refused', evidence: `${applied.reason}: ${applied.message}`, fix }
}

const isNotTakenUp: Look = ({ cluster, items }) => {
  const waits = items.find(({ type, driver }) => type === 'kubeClient' && driver === undefined)
  if (!waits) return undefined
  const evidence = `status.registrations[${waits.index}] has no driver`
  const fix = `see that the agent runs, with the gate AddonManagement on: lanyard doctor ${cluster}`
  return { id: 'addon-not-taken-up', evidence, fix }
}

const hasNoAccount: Look = ({ items, conditions }) => {
  if (!items.some(({ driver }) => driver === 'token')) return undefined
  const ready = findCondition(conditions, addonConditions.tokenInfrastructureReady)
  if (ready?.status === 'True') return undefined
  return ready
    ? { id: 'addon-account-missing', evidence: ready.message, fix: 'do what it says; the hub tries again by itself' }
    : {
        id: 'addon-account-missing',
        evidence: `the hub has not said ${addonConditions.tokenInfrastructureReady}`,
        fix: 'look whether `lanyard hub` runs and leads',
      }
}

const waitsForApproval: Look = ({ waiting }) => {
  const first = waiting[0]?.csr.metadata.name
  if (first === undefined) return undefined
  const evidence = waiting.map(whoAsksForWhat).join('; ')
  const fix = `see what it asks for (kubectl get csr ${first} -o yaml), then decide: kubectl certificate approve ${first}`
  return { id: 'addon-csr-pending', evidence, fix }
}

function whoAsksForWhat({ csr, requester, signer, subject }: AddonRequest): string {
  const { commonName, organizations, organizationalUnits } = subject
  const groups = organizations.length > 0 ? `, groups ${organizations.join(', ')}` : ''
  const units = organizationalUnits.length > 0 ? `, units ${organizationalUnits.join(', ')}` : ''
  return `${csr.metadata.name}: ${requester} asks ${signer} for the user ${commonName}${groups}${units}`
}

const lacksCredential: Look = ({ cluster, proofs }) => {
  const failed = proofs.find(({ state }) => state === 'failed')
  if (!failed?.condition) return undefined
  const { type, reason, message } = failed.condition
  const fix = `do what it says; the agent tries again by itself. If it says nothing new: lanyard doctor ${cluster}`
  return { id: 'addon-credential-missing', evidence: `${type} is False, ${reason}: ${message}`, fix }
}

const hasExpired: Look = ({ cluster, proofs }) => {
  const over = proofs.find(({ state }) => state === 'expired')
  if (!over?.expiresAt) return undefined
  const evidence = `it was good until ${over.expiresAt.toISOString()}, and its agent has not told of another one`
  return {
    id: 'addon-credential-expired',
    evidence,
    fix: `look at the agent of the cluster: lanyard doctor ${cluster}`,
  }
}

const isSilent: Look = ({ addon, conditions }) => {
  const available = findCondition(conditions, addonConditions.available)
  if (!available || available.status === 'True') return undefined
  const namespace = installNamespaceOf(addon)
  const fix = `look at it on the cluster: kubectl -n ${namespace} get pods,leases`
  return {
    id: 'addon-silent',
    evidence: `Available is ${available.status}, ${available.reason}: ${available.message}`,
    fix,
  }
}

const looks: readonly Look[] = [
  isLeaving,
  isRefused,
  isNotTakenUp,
  hasNoAccount,
  waitsForApproval,
  lacksCredential,
  hasExpired,
  isSilent,
]
