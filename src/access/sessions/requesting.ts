import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { isFailure } from '../../core/failure.ts'
import { isAlreadyExists } from '../../kube/failures.ts'
import type { CallOptions } from '../../kube/kube.ts'
import { keyOf } from '../../kube/objects.ts'
import { sessionLabels } from '../names.ts'
import { emergency, pending } from './beginning.ts'
import { finalizing } from './cluster-finalizer.ts'
import type { Escalation, RequestFacts, Session, SessionStore, Wish } from './contract.ts'
import { draftOf, whyNotNow } from './draft.ts'
import { failures } from './failures.ts'
import type { Permitted } from './request.ts'
import { permit } from './request.ts'
import type { SlotOf } from './slot.ts'
import { isOfSlot, numberOf, slotOf } from './slot.ts'
import { isLive } from './standing.ts'
import { isTerminal, stateOf } from './states.ts'
import type { SessionStoreDeps } from './store.ts'

export interface RequestingDeps extends SessionStoreDeps {
  act: SessionStore['act']
  write(session: Session, status: SessionStatus, options: CallOptions): Promise<Session | undefined>
}

/**
 * How old a list of a slot may be when the next session of it is made, and how long making it may take. The purge keeps
 * the newest of a slot for longer than both together: the number it has is not given twice on the word of an old list.
 */
const freshMs = 20_000
const mostTries = 10

export function requesting(deps: RequestingDeps): SessionStore['request'] {
  const { kube, clock, settings, checkpoint } = deps
  const ensureFinalizer = finalizing(deps)
  const lives = (session: Session) => isLive(session, clock.now(), deps.lastUsed(placeOf(session)))

  /** All sessions of a slot, live from the server; and those that were made without its label, as far as they are known here. */
  async function listSlot(of: SlotOf, facts: RequestFacts, options: CallOptions): Promise<Session[]> {
    const labelSelector = `${sessionLabels.slot}=${slotOf(of)}`
    const { items } = await kube.of(BreakglassSession.resource).list({ labelSelector, ...options })
    const found = items.filter(({ spec }) => isOfSlot(spec, of))
    const keys = new Set(found.map(keyOf))
    const unlabelled = facts.sessions.filter(
      ({ metadata, spec }) =>
        isOfSlot(spec, of) && metadata.labels?.[sessionLabels.slot] === undefined && !keys.has(keyOf({ metadata })),
    )
    return [...found, ...unlabelled]
  }

  /** What is over by the clock is over in the status too, before another takes its slot. False: one of them lives after all. */
  async function settle(sessions: readonly Session[], signal?: AbortSignal): Promise<boolean> {
    for (const session of sessions.filter((one) => !isTerminal(stateOf(one)))) {
      const settled = await deps.act(placeOf(session), { do: 'elapse' }, signal).catch((error: unknown) => {
        if (!isFailure(error, 'ACCESS_SESSION_GONE')) throw error
      })
      if (settled && lives(settled)) return false
    }
    return true
  }

  /** Undefined: another was first with this number, or it took too long. */
  async function make(
    wish: Wish,
    permitted: Permitted,
    facts: RequestFacts,
    n: number,
    options: CallOptions,
  ): Promise<Session | undefined> {
    const { escalation } = permitted
    const draft = draftOf(wish, permitted, facts, n)
    const collection = kube.of(BreakglassSession.resource, escalation.metadata.namespace)
    let made: Session
    try {
      made = await collection.create(draft, { ...options, deadlineMs: freshMs })
    } catch (error) {
      if (isAlreadyExists(error)) return undefined
      throw error
    }
    checkpoint('access.session-made')
    return wish.emergency ? bypass(made, escalation, options) : begin(made, escalation, options)
  }

  /** The controller of the leading replica may have brought it to Pending by now. */
  const begin = async (made: Session, escalation: Escalation, options: CallOptions): Promise<Session> =>
    (await deps.write(made, pending(made, escalation, clock.now()), options)) ??
    deps.act(placeOf(made), { do: 'elapse' }, options.signal)

  async function bypass(made: Session, escalation: Escalation, options: CallOptions): Promise<Session> {
    let session: Session | undefined = made
    for (let tried = 0; tried < mostTries; tried += 1) {
      if (!session || !hasNotBegun(session)) break
      const begun = await deps.write(session, emergency(session, escalation, clock.now()), options)
      if (begun) return begun
      session = await kube.of(BreakglassSession.resource, made.metadata.namespace).find(made.metadata.name, options)
    }
    if (session) return session
    throw failures.ACCESS_SESSION_GONE({ name: made.metadata.name })
  }

  return async (wish, facts, signal) => {
    const options = { ...(signal && { signal }) }
    const permitted = permit(wish, facts, settings())
    if ('refused' in permitted) throw permitted.refused
    const slot = { cluster: wish.cluster, user: permitted.user, grantedGroup: wish.group }
    for (let tried = 0; tried < mostTries; tried += 1) {
      const listedAt = clock.now().getTime()
      const inSlot = await listSlot(slot, facts, options)
      const exists = inSlot.find(lives)
      if (exists && !isBegunBypass(exists, wish, permitted)) return { exists }
      // What is finished now was counted when it was begun.
      const isOther = (session: Session) => lives(session) && session.metadata.uid !== exists?.metadata.uid
      const wrong = whyNotNow(wish, permitted, facts, clock.now(), isOther)
      if (wrong) throw wrong
      if (exists) return { made: await bypass(exists, permitted.escalation, options) }
      if (!(await settle(inSlot, signal))) continue
      await ensureFinalizer(permitted.cluster, options)
      if (clock.now().getTime() - listedAt > freshMs) continue
      const highest = Math.max(0, ...inSlot.map(({ metadata }) => numberOf(metadata.name, slotOf(slot))))
      const made = await make(wish, permitted, facts, highest + 1, options)
      if (made) return { made }
    }
    throw failures.ACCESS_BUSY()
  }
}

const hasNotBegun = (session: Session): boolean => ['', 'Pending'].includes(stateOf(session))

/** What was asked for in an emergency when the hub died before it could begin: whoever asks again gets it. */
const isBegunBypass = (session: Session, { emergency: isEmergency }: Wish, { escalation }: Permitted): boolean =>
  isEmergency === true &&
  session.spec.emergency === true &&
  hasNotBegun(session) &&
  (session.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller && uid === escalation.metadata.uid)

const placeOf = ({ metadata }: Session) => ({ namespace: metadata.namespace ?? '', name: metadata.name })
