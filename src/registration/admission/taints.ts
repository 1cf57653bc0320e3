import { rfc3339 } from '../../core/conditions.ts'

/** As a client sent it: mutating webhooks come before the schema. */
interface SentTaint {
  key?: unknown
  value?: unknown
  effect?: unknown
  timeAdded?: unknown
}

export type StampedTaints = { taints: readonly unknown[] } | { mistake: string }

/**
 * Puts the moment on each taint that is new or whose value or effect changed; one that stayed keeps its time. A time that
 * came with a new cluster is ignored. On an update it is a mistake, unless it is what the taint already had: then the
 * client only sent back what it read.
 */
export function stampTaints(sent: readonly unknown[], old: readonly unknown[] | undefined, now: Date): StampedTaints {
  const taints: unknown[] = []
  for (const [index, taint] of sent.entries()) {
    if (!isTaint(taint)) taints.push(taint)
    else if (!old) taints.push({ ...taint, timeAdded: rfc3339(now) })
    else {
      const before = old.filter(isTaint).filter(({ key }) => key === taint.key)
      const same = before.find(({ value, effect }) => (value ?? '') === (taint.value ?? '') && effect === taint.effect)
      const mayHave = same ? [same] : before
      if (isSet(taint.timeAdded) && !mayHave.some(({ timeAdded }) => isSameTime(timeAdded, taint.timeAdded)))
        return {
          mistake: `spec.taints[${index}].timeAdded must not be set: the hub records when it saw the taint; leave it out`,
        }
      taints.push({ ...taint, timeAdded: same && isSet(same.timeAdded) ? same.timeAdded : rfc3339(now) })
    }
  }
  return { taints }
}

const isTaint = (taint: unknown): taint is SentTaint => typeof taint === 'object' && taint !== null

const isSet = (time: unknown): boolean => time !== undefined && time !== null

/** Clients may write the same moment in another way. */
const isSameTime = (a: unknown, b: unknown): boolean =>
  a === b || (isSet(a) && Date.parse(String(a)) === Date.parse(String(b)))
