import type { NamespaceCondition } from 'kubernetes-types/core/v1.d.ts'
import { rfc3339 } from '../../core/conditions.ts'

/** What is left of a namespace that is being emptied. */
export interface Remains {
  /** How many there are of each kind, by the name of its resource and group: `configmaps.`. */
  readonly objects: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
  /** Why something could not be deleted. */
  readonly failures: readonly string[]
}

interface Report {
  type: string
  isTrue: boolean
  reason: string
  message: string
}

/** How far the deletion of a namespace has come. The same list when there is nothing new. */
export function namespaceConditions(
  present: readonly NamespaceCondition[],
  remains: Remains,
  now: Date,
): readonly NamespaceCondition[] {
  const next = reports(remains).map(({ type, isTrue, reason, message }) => {
    const status = isTrue ? 'True' : 'False'
    const old = present.find((condition) => condition.type === type)
    if (old?.status === status && old.reason === reason && old.message === message) return old
    const isNew = old?.status !== status
    const lastTransitionTime = (isNew ? undefined : old.lastTransitionTime) ?? rfc3339(now)
    return { type, status, lastTransitionTime, reason, message }
  })
  const others = present.filter(({ type }) => !next.some((condition) => condition.type === type))
  return next.every((condition) => present.includes(condition)) ? present : [...others, ...next]
}

function reports({ objects, finalizers, failures }: Remains): Report[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      isTrue: false,
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      isTrue: false,
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    failures.length > 0
      ? {
          type: 'NamespaceDeletionContentFailure',
          isTrue: true,
          reason: 'ContentDeletionFailed',
          message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
        }
      : {
          type: 'NamespaceDeletionContentFailure',
          isTrue: false,
          reason: 'ContentDeleted',
          message: 'All content successfully deleted, may be waiting on finalization',
        },
    objects.size > 0
      ? {
          type: 'NamespaceContentRemaining',
          isTrue: true,
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${counted(objects, 'has')}`,
        }
      : {
          type: 'NamespaceContentRemaining',
          isTrue: false,
          reason: 'ContentRemoved',
          message: 'All content successfully removed',
        },
    finalizers.size > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          isTrue: true,
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`,
        }
      : {
          type: 'NamespaceFinalizersRemaining',
          isTrue: false,
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        },
  ]
}

const counted = (counts: ReadonlyMap<string, number>, verb: string): string =>
  [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ')
