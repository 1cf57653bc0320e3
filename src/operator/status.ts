import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../core/clock.ts'
import type { Condition, ConditionReport } from '../core/conditions.ts'
import { removeCondition, setCondition } from '../core/conditions.ts'
import type { Collection } from '../kube/kube.ts'
import type { KubeObject, Stored } from '../kube/objects.ts'
import type { Related } from './related.ts'

export interface OperatorStatus {
  observedGeneration?: number
  conditions?: Condition[]
  generations?: (Related & { lastGeneration: number })[]
  relatedResources?: Related[]
}
export type Reported = KubeObject & { status?: OperatorStatus }

export interface StatusWriter {
  readonly status: OperatorStatus
  /** One request, or none where nothing changes. A Conflict when the object was written meanwhile. */
  write(change: StatusChange): Promise<void>
}

export interface StatusChange {
  conditions?: readonly ConditionReport[]
  /** Types of conditions that are over. */
  drop?: readonly string[]
  fields?: Omit<OperatorStatus, 'conditions'>
}

/** Several controllers write the status of one object, each its own part: guarded by the version, none undoes another. */
export function statusWriter<T extends Reported>(
  collection: Collection<T>,
  object: Stored<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): StatusWriter {
  let known: Stored<T> = object
  return {
    get status() {
      return known.status ?? {}
    },
    async write({ conditions = [], drop = [], fields = {} }) {
      const old = known.status ?? {}
      const { generation } = known.metadata
      const kept = drop.reduce<Condition[]>((list, type) => removeCondition(list, type), old.conditions ?? [])
      const next = conditions.reduce(
        (list, report) =>
          setCondition(list, { ...report, ...(generation && { observedGeneration: generation }) }, clock.now()),
        kept,
      )
      const changed = Object.entries(fields).filter(
        ([name, value]) => !isDeepStrictEqual(Reflect.get(old, name), value),
      )
      if (next === (old.conditions ?? next) && isDeepStrictEqual(next, old.conditions ?? []) && changed.length === 0)
        return
      const { name, resourceVersion } = known.metadata
      const body = { metadata: { resourceVersion }, status: { ...Object.fromEntries(changed), conditions: next } }
      known = await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
    },
  }
}
