/** The names around a ClusterConfig: what is not in its schema and yet part of the contract. */

import { ownDomain } from '../../core/own-domain.ts'

/** Condition types of a ClusterConfig. */
export const spokeConditions = {
  ready: 'Ready',
  /** The hub may do on the cluster what it has to. */
  permissionsVerified: 'PermissionsVerified',
  /** True is bad: the refresh token that was given is refused, and nothing else may be tried. */
  refreshTokenExpired: 'RefreshTokenExpired',
  /** True is bad: it works, but by another grant than the one that was wanted. */
  degradedAuth: 'DegradedAuth',
  /** True is bad: the cluster answered 429 lately. */
  throttled: 'Throttled',
  /** True is bad: whoever answers at the address of the cluster is believed. */
  insecureTls: 'InsecureTLS',
} as const

/** Which keys of a Secret are looked at, in this order, where a reference names none. */
export const secretKeys = {
  kubeconfig: ['value', 'kubeconfig'],
  clientSecret: ['client-secret', 'value'],
  ca: ['ca.crt'],
  token: ['token'],
} as const

export const spokeAnnotations = {
  /** On a ClusterConfig: a person compared this SHA-256 with that of the cluster's CA; it may replace the one on record. */
  trustedFingerprint: `${ownDomain}/trusted-fingerprint`,
  /** On a ClusterConfig: any change of it has the cluster checked at once. RFC 3339. Answered: `status.answeredCheck` equals it. */
  checkRequestedAt: `${ownDomain}/check-requested-at`,
  /** On a ManagedCluster: `true` lets its agent hand over a way in. Only the hub's people may set it. */
  reach: `${ownDomain}/reach`,
  /** On the Secret of a CA that was trusted on first use: when, RFC 3339. */
  trustedSince: `${ownDomain}/trusted-since`,
  /** On that Secret: SHA-256 of each such CA in it, separated by commas. Any other was put there by a person. */
  firstUses: `${ownDomain}/first-use-fingerprints`,
} as const

export const spokeLabels = {
  /** On a ClusterConfig: the ManagedCluster it leads into, where its own name is another. */
  cluster: `${ownDomain}/cluster`,
  /** `true` on a Secret that holds a CA trusted on first use. */
  firstUse: `${ownDomain}/trusted-on-first-use`,
  /** `true` on what is made so that an agent can hand over a way in: by the hub, and by the agent on its cluster. */
  handover: `${ownDomain}/handover`,
  /** On what `lanyard reach add` made: the name of the ClusterConfig that it made it for. */
  added: `${ownDomain}/reach-added`,
} as const

/** Where a CA is kept that was trusted on first use, unless the ClusterConfig says where: beside it. */
export const pinSecret = (clusterConfig: string): string => `${clusterConfig}-tofu-ca`

/** The way in that an agent hands over: a Secret in the namespace of its cluster, on the hub. */
export const handoverSecret = 'lanyard-reach'
/** And the account that it is, on the cluster, in the namespace of the agent. */
export const handoverAccount = 'lanyard-reach'
