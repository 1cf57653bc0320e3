import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { findCondition, isTrue } from '../../core/conditions.ts'
import type { Note } from '../../fleet/spoke/index.ts'
import { spokeReasons } from '../../fleet/spoke/index.ts'
import { spokeConditions } from '../../fleet/spoke/names.ts'
import type { EventRecorder, Happening } from '../../kube/events.ts'
import { conditionsOf } from './status-of.ts'
import type { Written } from './write-status.ts'

/** Tells what is other than before, and the notes that are new. */
export function recordWhatHappened(events: EventRecorder, written: Written, notes: readonly Note[]): void {
  const happenings = [...changesOf(written), ...notes.map(happeningOf)]
  for (const happening of happenings) events.record(ClusterConfig.resource, written.before, happening)
}

/** What changed by a write that is worth an event. */
export function changesOf({ before, status }: Pick<Written, 'before' | 'status'>): Happening[] {
  const old = conditionsOf(before)
  const now = conditionsOf({ ...before, status })
  const was = findCondition(old, spokeConditions.ready)
  const is = findCondition(now, spokeConditions.ready)
  const happenings: Happening[] = []
  if (is?.status === 'True' && was?.status !== 'True')
    happenings.push({ reason: spokeReasons.ClusterConfigValidationSucceeded, message: is.message })
  if (is?.status === 'False' && (was?.status !== 'False' || was.reason !== is.reason))
    happenings.push({
      type: 'Warning',
      reason: spokeReasons.ClusterConfigValidationFailed,
      message: `${is.reason}: ${is.message}`,
    })
  const [rightsWere, rights] = [old, now].map((list) => findCondition(list, spokeConditions.permissionsVerified))
  if (rights?.status === 'False' && rightsWere?.status !== 'False')
    happenings.push({ type: 'Warning', reason: spokeReasons.PermissionsMissing, message: rights.message })
  if (rights?.status === 'True' && rightsWere?.status === 'False')
    happenings.push({ reason: spokeReasons.PermissionsGranted, message: rights.message })
  const degraded = findCondition(now, spokeConditions.degradedAuth)
  if (degraded?.status === 'True' && !isTrue(old, spokeConditions.degradedAuth))
    happenings.push({ type: 'Warning', reason: spokeReasons.FallbackSucceeded, message: degraded.message })
  return happenings
}

export function happeningOf(note: Note): Happening {
  switch (note.kind) {
    case 'old-key':
      return {
        type: 'Warning',
        reason: spokeReasons.SecretKeyDeprecated,
        message: `${note.field}: the value was found under the key ${note.key}; move it to ${note.wanted}, or name the key`,
      }
    case 'first-use':
      return {
        type: 'Warning',
        reason: spokeReasons.CATrustedOnFirstUse,
        message: `the CA with SHA-256 ${note.fingerprint} was trusted because it was the first, and is kept in Secret ${note.secret}; compare the fingerprint with that of the cluster`,
      }
    case 'replaced':
      return {
        reason: spokeReasons.CAReplaced,
        message: `the CA with SHA-256 ${note.fingerprint} took the place of ${note.before}, as a person confirmed`,
      }
  }
}
