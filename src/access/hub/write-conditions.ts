import { isDeepStrictEqual } from 'node:util'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { setCondition } from '../../core/conditions.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../kube/objects.ts'

/** What is found of an object: one of each type. */
export type Finding = Pick<ConditionReport, 'type' | 'status' | 'reason' | 'message'>

export type WithConditions = KubeObject & { status?: { observedGeneration?: number; conditions?: Condition[] } }

const mostTries = 5

/**
 * Writes what was found, unless all of it is said already; returns what was there before. Guarded by the version, so
 * that conditions of others stay. Undefined when the object is gone, or another one than was looked at.
 */
export async function writeConditions<T extends WithConditions>(
  kube: Kube,
  resource: Resource<T>,
  seen: Stored<T>,
  findings: readonly Finding[],
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<Stored<T> | undefined> {
  const { name, namespace, uid, generation = 0 } = seen.metadata
  const collection = kube.of(resource, namespace)
  let latest: Stored<T> | undefined = seen
  for (let tries = 1; latest?.metadata.uid === uid && (latest.metadata.generation ?? 0) === generation; tries += 1) {
    const before: Stored<T> = latest
    const status = { observedGeneration: generation, conditions: withFindings(before, findings, now) }
    const { observedGeneration, conditions = [] } = before.status ?? {}
    if (isDeepStrictEqual(status, { observedGeneration, conditions })) return before
    const body = { metadata: { resourceVersion: before.metadata.resourceVersion }, status }
    try {
      await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      return before
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error
      latest = await collection.find(name, { signal })
    }
  }
  return undefined
}

const withFindings = (object: Stored<WithConditions>, findings: readonly Finding[], now: Date): Condition[] =>
  findings.reduce<Condition[]>(
    (list, finding) => setCondition(list, { ...finding, observedGeneration: object.metadata.generation ?? 0 }, now),
    object.status?.conditions ?? [],
  )
