import { rfc3339 } from '../../core/conditions.ts'
import type { Requester } from '../../fleet/access-review.ts'
import { annotations } from '../../fleet/names.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { isAgent, isAgentOf } from './requester.ts'

type Annotations = Readonly<Record<string, string>>

export interface SeenCluster {
  annotations: Annotations
  accepted: boolean
}

export interface ClusterChange {
  name: string
  requester: Requester
  /** Undefined for a new cluster. */
  old: SeenCluster | undefined
  sent: SeenCluster
}

/** What is told of a cluster that has joined; nothing of it can be true of a new one. */
const laterOnly = [
  annotations.agentName,
  annotations.certificateIssuedAt,
  annotations.certificateExpiresAt,
  annotations.certificateFingerprint,
  annotations.replaceAgent,
  annotations.awsRole,
] as const

/**
 * The annotations as they are stored. Who created the cluster, that it was accepted, and when its own agent took it off
 * the hub, is what admission saw, whatever anybody sends.
 */
export function recordAnnotations(change: ClusterChange, now: Date): Annotations {
  const { requester, old, sent } = change
  const kept: Record<string, string> = { ...sent.annotations }
  if (!old) for (const key of laterOnly) delete kept[key]
  // Whoever asks to join may not also ask for the hub to come in: that takes somebody who may accept clusters.
  if (!old && !sent.accepted) delete kept[spokeAnnotations.reach]
  put(kept, annotations.createdBy, old ? old.annotations[annotations.createdBy] : requester.username)
  put(kept, annotations.unjoinedAt, unjoinedAt(change, now))
  put(kept, annotations.acceptedBefore, acceptedBefore(change, now))
  return kept
}

function unjoinedAt({ name, requester, old, sent }: ClusterChange, now: Date): string | undefined {
  if (sent.accepted || !old) return undefined
  return old.accepted && isAgentOf(requester, name) ? rfc3339(now) : old.annotations[annotations.unjoinedAt]
}

/** Also for a cluster that was let in before there was this record. */
function acceptedBefore({ old, sent }: ClusterChange, now: Date): string | undefined {
  const known = old?.annotations[annotations.acceptedBefore]
  return known ?? (sent.accepted || old?.accepted ? rfc3339(now) : undefined)
}

function put(record: Record<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) delete record[key]
  else record[key] = value
}

/** Decided by `recordAnnotations`, whoever asks. */
const recorded: readonly string[] = [annotations.createdBy, annotations.unjoinedAt, annotations.acceptedBefore]

const isOthers = (key: string): boolean => !recorded.includes(key) && !key.startsWith(annotations.agentPrefix)

const marks: readonly string[] = Object.values(awsAnnotations)

/** Whoever accepted the cluster did so for what it said of itself then. */
const isSettled = ({ accepted, annotations: noted }: SeenCluster): boolean =>
  accepted || annotations.acceptedBefore in noted

/**
 * Agents may write their own ManagedCluster, but not what the hub and its people decide by: which agent has joined, which
 * may take its place, that it was accepted automatically once already, which AWS account gets a role, and whatever an
 * administrator put there. Agents of the field send the annotations of their own prefix with each update.
 */
export function annotationForbidden({ name, requester, old, sent }: ClusterChange): string | undefined {
  if (!old || !isAgent(requester, name)) return undefined
  const keys = new Set([...Object.keys(old.annotations), ...Object.keys(sent.annotations)])
  const isFixed = (key: string) => isOthers(key) || (marks.includes(key) && isSettled(old))
  return [...keys].filter(isFixed).find((key) => old.annotations[key] !== sent.annotations[key])
}
