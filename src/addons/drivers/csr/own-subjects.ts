import { addonGroup, addonUser, anyAddonGroup } from '../../../fleet/names.ts'
import type { Subject } from '../../../pki/index.ts'

/**
 * Who an add-on may become without anybody looking.
 *
 * The subject of a registration says nothing of who may have it. The add-on's controller on the hub writes it into the
 * status of the ManagedClusterAddOn, but the agent of the cluster may write that status too. Whoever holds the agent's
 * certificate could put `system:masters`, another cluster's agent or another add-on there, ask for that subject, and
 * would pass every check that compares the request with the registration. So the hub gives, whatever is registered, only
 * what cannot be more than this add-on on this cluster; the rest is for people, or for an approver that the operator of
 * the hub installed for the add-on.
 */
export interface AddonIdentity {
  readonly cluster: string
  readonly addon: string
}

const authenticatedGroup = 'system:authenticated'
const agentName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** `…:agent:` and a name: an add-on may tell its agents apart. No part can hold a colon, so none can reach into another. */
export function isOwnUser({ cluster, addon }: AddonIdentity, user: string): boolean {
  const prefix = addonUser(cluster, addon).slice(0, -addon.length)
  return user.startsWith(prefix) && agentName.test(user.slice(prefix.length))
}

export const isOwnGroup = ({ cluster, addon }: AddonIdentity, group: string): boolean =>
  [addonGroup(cluster, addon), anyAddonGroup(addon), authenticatedGroup].includes(group)

/** Without units: they mean something to whoever trusts the signer, and nobody here knows what. */
export const isOwnSubject = (of: AddonIdentity, { commonName, organizations, organizationalUnits }: Subject): boolean =>
  isOwnUser(of, commonName) && organizations.every((group) => isOwnGroup(of, group)) && organizationalUnits.length === 0

/** Those of Kubernetes, of this fleet (the second form is for EKS) and of kubeadm, which has administrators in one. */
const reservedPrefixes = ['system:', 'open-cluster-management:', 'kubeadm:']
const isReserved = (name: string): boolean => reservedPrefixes.some((prefix) => name.startsWith(prefix))

/** What no approver can give either: an approver that is too generous must not make administrators. */
export const isReservedSubject = (of: AddonIdentity, { commonName, organizations }: Subject): boolean =>
  commonName === '' ||
  (isReserved(commonName) && !isOwnUser(of, commonName)) ||
  organizations.some((group) => isReserved(group) && !isOwnGroup(of, group))
