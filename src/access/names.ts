/** The names around sessions and policies: what is in no schema and yet part of the contract. */

import { breakglassGroup } from '../apis/breakglass/common.ts'
import { ownDomain } from '../core/own-domain.ts'
import { annotations } from '../fleet/names.ts'

/** On a ClusterConfig while sessions of its cluster live: they end before it does. */
export const clusterFinalizer = `${breakglassGroup}/cluster-cleanup`

/** On a BreakglassSession until it is on record, and told, that it ended: it does not go without a word. */
export const sessionFinalizer = `${ownDomain}/session-record`

/** On a BreakglassSession. The first three as the field has them, cut and cleaned to fit a label. */
export const sessionLabels = {
  cluster: `${breakglassGroup}/cluster`,
  user: `${breakglassGroup}/user`,
  group: `${breakglassGroup}/group`,
  /** The digest of cluster, user and group: of the sessions with one slot at most one lives. */
  slot: `${ownDomain}/slot`,
} as const

/** On a BreakglassSession. */
export const sessionAnnotations = {
  /** Who made it, by the word of the API server, where that was not the hub. Nobody sets or changes it. */
  createdBy: annotations.createdBy,
} as const

/** Condition types of a BreakglassSession. */
export const sessionConditions = {
  idle: 'Idle',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  canceled: 'Canceled',
  active: 'Active',
  sessionExpired: 'SessionExpired',
  scheduledStartTimeReached: 'ScheduledStartTimeReached',
} as const

/** Why a session ended: `status.reasonEnded`. */
export const endings = [
  'timeExpired',
  'approvalTimeout',
  'canceled',
  'dropped',
  'withdrawn',
  'rejected',
  'duplicateCleanup',
  'idleTimeout',
  'missingScheduledStartTime',
  'scheduledSessionExpiredBeforeActivation',
  'clusterDeleted',
] as const
export type Ending = (typeof endings)[number]

/** Who the hub asks for when it asks a cluster whether a group may: nobody is called so. */
export const reviewUser = 'system:breakglass-session'
/** The field's name for the same. Both are never asked about in earnest. */
export const syntheticUsers: readonly string[] = [reviewUser, 'system:auth-checker']

/** In the extra of a review: who issued the user's token, where a cluster tells. */
export const issuerExtra = 'identity.t-caas.telekom.com/issuer'

/** The Secrets with the digests of webhook tokens, one a cluster, in the namespace of the hub. */
export const webhookTokenLabel = `${ownDomain}/webhook-token-of`
/** Where the heads of the audit chains are anchored, in the namespace of the hub. */
export const auditHeads = 'lanyard-audit-heads'
