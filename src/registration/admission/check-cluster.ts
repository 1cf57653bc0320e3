import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Right } from '../../fleet/access-review.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest, forbidden } from '../../fleet/admission.ts'
import { defaultSet, labels, registerGroup } from '../../fleet/names.ts'
import { fieldForbidden } from './agent-change.ts'
import { leaseMistake, nameMistake, urlMistake } from './cluster-fields.ts'
import { annotationForbidden } from './recorded-annotations.ts'
import { isAgent, isAgentOf } from './requester.ts'

/** What can be said without asking anybody. Only what changes is looked at: what was stored before may stay. */
export function checkCluster({ object, oldObject, userInfo }: AdmissionRequest<ManagedCluster>): Verdict {
  if (!object) return allowed
  const name = object.metadata?.name ?? ''
  const mistake =
    (oldObject ? undefined : nameMistake(name)) ??
    urlMistake(urlsOf(object), urlsOf(oldObject)) ??
    leaseMistake(object.spec?.leaseDurationSeconds, oldObject?.spec?.leaseDurationSeconds)
  if (mistake) return badRequest(mistake)
  const change = { name, requester: userInfo, old: oldObject ? seen(oldObject) : undefined, sent: seen(object) }
  const key = annotationForbidden(change)
  if (key) return forbidden(`metadata.annotations[${key}] is the hub's: an agent may not change it`)
  const field = oldObject && isAgent(userInfo, name) ? fieldForbidden(oldObject, object) : undefined
  return field ? forbidden(`${field} is the hub's: an agent may not change it`) : allowed
}

export const isBeingAccepted = ({ object, oldObject }: AdmissionRequest<ManagedCluster>): boolean =>
  isAccepted(object) && !isAccepted(oldObject)

/** Who lets a cluster in may shut it out. A cluster leaves by itself as well: its own agent needs no right for that. */
export function changesAcceptance(request: AdmissionRequest<ManagedCluster>): boolean {
  const { object, oldObject, userInfo } = request
  if (isBeingAccepted(request)) return true
  const isTakenBack = isAccepted(oldObject) && !isAccepted(object)
  return isTakenBack && !isAgentOf(userInfo, object?.metadata?.name ?? '')
}

const isAccepted = (cluster: ManagedCluster | null | undefined): boolean => cluster?.spec?.hubAcceptsClient === true

export const acceptRight = (name: string): Right => ({
  verb: 'update',
  group: registerGroup,
  resource: 'managedclusters',
  subresource: 'accept',
  name,
})

/**
 * To move a cluster takes the right to join both sets, the one it leaves and the one it enters. Where there was none
 * before, `default` is free: the hub itself puts clusters there.
 */
export function joinRights({ object, oldObject }: AdmissionRequest<ManagedCluster>): Right[] {
  const [left, entered] = [setOf(oldObject), setOf(object)]
  if (left === entered || (left === '' && entered === defaultSet)) return []
  return [left, entered].filter((set) => set !== '').map(joinRight)
}

/**
 * Who names an owner decides when the cluster is deleted, for it goes when its owner does, and who begins it with a
 * finalizer decides that it cannot be: that takes the right to delete it. What was there before may stay.
 */
export function deletionRights({ object, oldObject }: AdmissionRequest<ManagedCluster>): Right[] {
  const before = new Set(ownersOf(oldObject))
  const ownsMore = ownersOf(object).some((owner) => !before.has(owner))
  const beginsHeld = !oldObject && (object?.metadata?.finalizers ?? []).length > 0
  return ownsMore || beginsHeld ? [deleteRight(object?.metadata?.name ?? '')] : []
}

/** By all that the garbage collector looks one up by: an owner of another name is one that is gone. */
const ownersOf = (cluster: ManagedCluster | null | undefined): string[] =>
  (cluster?.metadata?.ownerReferences ?? []).map(({ apiVersion, kind, name, uid }) =>
    JSON.stringify([apiVersion, kind, name, uid]),
  )

const deleteRight = (name: string): Right => ({
  verb: 'delete',
  group: 'cluster.open-cluster-management.io',
  resource: 'managedclusters',
  name,
})

const joinRight = (name: string): Right => ({
  verb: 'create',
  group: 'cluster.open-cluster-management.io',
  resource: 'managedclustersets',
  subresource: 'join',
  name,
})

const setOf = (cluster: ManagedCluster | null | undefined): string =>
  cluster?.metadata?.labels?.[labels.clusterSet] ?? ''

const urlsOf = (cluster: ManagedCluster | null | undefined): string[] =>
  (cluster?.spec?.managedClusterClientConfigs ?? []).map(({ url }) => url)

const seen = ({ metadata, spec }: ManagedCluster) => ({
  annotations: metadata?.annotations ?? {},
  accepted: spec?.hubAcceptsClient === true,
})
