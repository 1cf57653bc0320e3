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
  /**
   * One request, or none where nothing changes: of an object that may be older than the operator's own last write that
   * is looked at first. A Conflict when the object was written meanwhile.
   */
  write(change: StatusChange): Promise<void>
}

export interface StatusChange {
  conditions?: readonly ConditionReport[]
  /** Types of conditions that are over. */
  drop?: readonly string[]
  fields?: Omit<OperatorStatus, 'conditions'>
}

/** What came of the last write of each object, by its uid: what is watched may be older. */
export type OwnVersions = Map<string, string>

const unknownVersion = ''

/** Several controllers write the status of one object, each its own part: guarded by the version, none undoes another. */
export function statusWriter<T extends Reported>(
  collection: Collection<T>,
  object: Stored<T>,
  { clock, signal, written }: { clock: Clock; signal: AbortSignal; written: OwnVersions },
): StatusWriter {
  let known: Stored<T> = object
  const { name, uid, generation } = object.metadata

  /** Undefined where nothing changes. */
  function changesBy({ conditions = [], drop = [], fields = {} }: StatusChange): OperatorStatus | undefined {
    const old = known.status ?? {}
    const kept = drop.reduce<Condition[]>((list, type) => removeCondition(list, type), old.conditions ?? [])
    const next = conditions.reduce(
      (list, report) =>
        setCondition(list, { ...report, ...(generation && { observedGeneration: generation }) }, clock.now()),
      kept,
    )
    const changed = Object.entries(fields).filter(
      ([field, value]) => !isDeepStrictEqual(Reflect.get(old, field), value),
    )
    const isSame = isDeepStrictEqual(next, old.conditions ?? []) && changed.length === 0
    return isSame ? undefined : { ...Object.fromEntries(changed), conditions: next }
  }

  return {
    get status() {
      return known.status ?? {}
    },
    async write(change) {
      let status = changesBy(change)
      const version = written.get(uid)
      const isInDoubt = version !== undefined && version !== known.metadata.resourceVersion
      if (!status && isInDoubt) {
        const latest = await collection.find(name, { signal })
        // Another one by now, and looked at as such.
        if (latest?.metadata.uid !== uid) return void written.delete(uid)
        if (latest.metadata.generation !== generation) return
        known = latest
        written.set(uid, latest.metadata.resourceVersion)
        status = changesBy(change)
      }
      if (!status) return
      const { resourceVersion } = known.metadata
      const body = { metadata: { resourceVersion }, status }
      // Where its answer is lost nobody knows whether it was written: then no version is believed to be the last.
      written.set(uid, unknownVersion)
      known = await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      written.set(uid, known.metadata.resourceVersion)
    },
  }
}
