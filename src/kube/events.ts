import { createHash } from 'node:crypto'
import type { Event, ObjectReference } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { maskText } from '../core/mask.ts'
import type { Reason } from '../core/reason.ts'
import { BoundedMap } from './bounded-map.ts'
import { isAlreadyExists, isNotFound } from './failures.ts'
import { events } from './kinds.ts'
import type { Kube } from './kube.ts'
import type { KubeObject, Resource } from './objects.ts'
import { apiVersionOf } from './objects.ts'
import { pause } from './pause.ts'

export interface Happening {
  /** Default Normal. */
  type?: 'Normal' | 'Warning'
  reason: Reason
  /** A sentence for people that says what to do; cut after 1024 characters. What looks like a credential is masked. */
  message: string
}

/**
 * Tells people what happened to an object, where `kubectl describe` shows it. Best effort by contract: what must not be
 * lost is a condition.
 */
export interface EventRecorder {
  /** Returns at once and never throws. The resource is asked for because items of a list do not carry their kind. */
  record<T extends KubeObject>(resource: Resource<T>, object: T, happening: Happening): void
  /** Resolves when all that was recorded is written or given up, at the latest after `withinMs`. Default 5,000. */
  flush(withinMs?: number): Promise<void>
}

export interface EventRecorderOptions {
  clock: Clock
  log: Log
  /** Who tells: shown as the source of the event. */
  component: string
  /** Which replica of it. */
  instance?: string
  /** Events that wait to be written; more are dropped. Default 1,000. */
  bufferSize?: number
}

/** Of one object: so many events at once, then one each interval. As client-go has it. */
const burst = 25
const refillMs = 300_000
/** Objects and events that are remembered. */
const memory = 4_096

interface Pending {
  namespace: string
  name: string
  reference: ObjectReference
  happening: Required<Happening>
  count: number
  firstAt: Date
  lastAt: Date
}

/**
 * Core v1 Events, not events.k8s.io: `kubectl describe` shows their count and age without knowing of series. The name
 * of an event follows from what it says, so that the same one again, also by another replica or after a restart, adds
 * to its count.
 */
export function eventRecorder(kube: Kube, options: EventRecorderOptions): EventRecorder {
  const { clock, log, component, instance = component, bufferSize = 1_000 } = options
  const buffer = new Map<string, Pending>()
  const allowances = new BoundedMap<string, { tokens: number; at: number }>(memory)
  const counts = new BoundedMap<string, number>(memory)
  let writing: Promise<void> | undefined

  function isAllowed(object: string): boolean {
    const now = clock.now().getTime()
    const { tokens, at } = allowances.get(object) ?? { tokens: burst, at: now }
    const refilled = Math.min(burst, tokens + Math.max(0, now - at) / refillMs)
    allowances.set(object, { tokens: refilled >= 1 ? refilled - 1 : refilled, at: now })
    return refilled >= 1
  }

  async function write(id: string, event: Pending): Promise<void> {
    const collection = kube.of(events, event.namespace)
    const lastTimestamp = seconds(event.lastAt)
    const addTo = async (before: number) => {
      const count = before + event.count
      await collection.patch(event.name, { type: 'merge', body: { count, lastTimestamp } })
      return count
    }
    const create = () => collection.create({ ...asEvent(event, component, instance), lastTimestamp })
    const known = counts.get(id)
    // Events live for an hour only, so one that is known may be gone, and one that is there may be unknown.
    try {
      counts.set(id, known === undefined ? ((await create()).count ?? 1) : await addTo(known))
    } catch (error) {
      if (isNotFound(error) && known !== undefined) counts.set(id, (await create()).count ?? 1)
      else if (!isAlreadyExists(error)) throw error
      else counts.set(id, await addTo((await collection.get(event.name)).count ?? 1))
    }
  }

  async function writeAll(): Promise<void> {
    for (const [id, event] of buffer) {
      buffer.delete(id)
      await write(id, event).catch((err) => {
        counts.delete(id)
        log.debug({ err, namespace: event.namespace, name: event.name }, 'event not written')
      })
    }
    writing = undefined
  }

  return {
    record(resource, object, { type = 'Normal', reason, message }) {
      const reference = referenceTo(resource, object)
      const happening = { type, reason, message: maskText(message).slice(0, 1_024) }
      const about = [reference.kind, reference.namespace, reference.name, reference.uid].join()
      const id = createHash('sha256')
        .update(JSON.stringify([component, about, type, reason, happening.message]))
        .digest('hex')
        .slice(0, 16)
      const pending = buffer.get(id)
      if (!isAllowed(about) || (!pending && buffer.size >= bufferSize)) {
        log.debug({ kind: reference.kind, name: reference.name, reason }, 'event dropped')
        return
      }
      const now = clock.now()
      if (pending) {
        pending.count += 1
        pending.lastAt = now
      } else {
        const namespace = reference.namespace ?? 'default'
        const name = `${asNamePart(reference.name ?? '')}.${id}`
        buffer.set(id, { namespace, name, reference, happening, count: 1, firstAt: now, lastAt: now })
      }
      // Not before the caller goes on: what it records in one go is written together.
      writing ??= Promise.resolve().then(writeAll)
    },
    async flush(withinMs = 5_000) {
      const over = new AbortController()
      await Promise.race([writing, pause(clock, withinMs, over.signal)])
      over.abort()
    },
  }
}

function referenceTo<T extends KubeObject>(resource: Resource<T>, { metadata = {} }: T): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

const asEvent = (pending: Pending, component: string, instance: string): Event => ({
  metadata: { name: pending.name, namespace: pending.namespace },
  involvedObject: pending.reference,
  ...pending.happening,
  count: pending.count,
  firstTimestamp: seconds(pending.firstAt),
  source: { component },
  reportingComponent: component,
  reportingInstance: instance,
})

const seconds = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

/** An event's name is a DNS subdomain; the names of roles and users may hold more. */
const asNamePart = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, 230)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'object'
