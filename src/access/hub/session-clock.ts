import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isFailure } from '../../core/failure.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import { sessionFinalizer, sessionLabels } from '../names.ts'
import type { Action, Session, SessionStore } from '../sessions/contract.ts'
import { dueAt, isReviewOpen } from '../sessions/elapsing.ts'
import { purgeAt } from '../sessions/retention.ts'
import { isOfSlot, numberOf, slotOf } from '../sessions/slot.ts'
import { isTerminal, stateOf } from '../sessions/states.ts'
import { earliest, plus, timeOf } from '../sessions/times.ts'
import type { AccessView } from '../view.ts'
import { userKey } from '../view.ts'
import type { AccessHubDeps } from './deps.ts'
import { rivalOf } from './duplicates.ts'

export interface SessionClockDeps extends AccessHubDeps {
  view: AccessView
  store: SessionStore
  /** The newest activity known here. */
  lastUsed(session: { namespace: string; name: string }): Date | undefined
}

/** How long whoever makes a session through the hub may take to write its first status. */
const firstStatusMs = 5_000
/** How much longer what ended is kept for those who have not been told of it. */
const untoldMs = 600_000
/** Until what was due and yet did not happen is looked at again. */
const againMs = 5_000

/** Time passes for sessions: each is looked at when it changes, and at the moment that something about it is due. */
export function sessionClock(deps: SessionClockDeps): Controller {
  const { kube, clock, view, spokeView, store, checkpoint } = deps
  const placeOf = ({ metadata }: Session) => ({ namespace: metadata.namespace ?? '', name: metadata.name })
  const sameSlot = ({ spec }: Session) =>
    view.sessions.byIndex('user', userKey(spec.cluster, spec.user)).filter((other) => isOfSlot(other.spec, spec))
  const until = (at: Date | undefined): Outcome =>
    at ? requeueAfter(Math.max(1, at.getTime() - clock.now().getTime())) : done

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const session = view.sessions.get(key)
    if (!session) return done
    if (session.metadata.deletionTimestamp) return reconcileLeaving(session, signal)
    return isTerminal(stateOf(session)) ? reconcileEnded(session, signal) : reconcileLive(session, signal)
  }

  async function reconcileLive(session: Session, signal: AbortSignal): Promise<Outcome> {
    const begins = firstStatusBy(session)
    if (begins && clock.now() < begins) return until(begins)
    if (await isClusterGone(session, signal)) return end(session, { do: 'end', why: 'clusterDeleted' }, signal)
    const seen = await lesserVersion(session, signal)
    if (seen) return end(session, { do: 'end', why: 'duplicateCleanup', seen }, signal)
    await label(session, signal)
    return elapse(session, signal)
  }

  /** With its escalation or its namespace. It grants nothing any more; it goes when that is on record. */
  async function reconcileLeaving(session: Session, signal: AbortSignal): Promise<Outcome> {
    if (!isHeld(session)) return done
    if (!isTerminal(stateOf(session))) {
      await store.act(placeOf(session), { do: 'delete' }, signal)
      return done
    }
    const leavesAt = timeOf(session.metadata.deletionTimestamp)
    const latest = leavesAt && plus(leavesAt, untoldMs)
    if (!isTold(session) && latest && clock.now() < latest) return until(latest)
    await letGo(session, signal)
    return done
  }

  async function reconcileEnded(session: Session, signal: AbortSignal): Promise<Outcome> {
    if (isHeld(session) && isTold(session) && !isReviewOpen(session)) {
      await letGo(session, signal)
      return done
    }
    const at = purgeAt(session, isNewest(session))
    const purge = at && (isTold(session) ? at : plus(at, untoldMs))
    if (!purge || clock.now() < purge) {
      const due = dueAt(session)
      return due && due <= clock.now() ? elapse(session, signal) : until(earliest(due, purge))
    }
    const { uid, resourceVersion, namespace, name } = session.metadata
    // What changed since may be a review that somebody just asked for.
    const options = { preconditions: { uid, resourceVersion }, signal }
    await kube.of(BreakglassSession.resource, namespace).delete(name, options)
    checkpoint('access.purged')
    return done
  }

  async function elapse(session: Session, signal: AbortSignal): Promise<Outcome> {
    const due = dueAt(session, deps.lastUsed(placeOf(session)))
    if (!due || due > clock.now()) return until(due)
    const after = await store.act(placeOf(session), { do: 'elapse' }, signal)
    const next = dueAt(after, deps.lastUsed(placeOf(after)))
    return next && next <= clock.now() ? requeueAfter(againMs) : until(next)
  }

  async function end(session: Session, action: Action, signal: AbortSignal): Promise<Outcome> {
    await store.act(placeOf(session), action, signal)
    return done
  }

  /** Asked live before anything ends by it: what is watched here may be behind what is watched there. */
  async function isClusterGone({ spec }: Session, signal: AbortSignal): Promise<boolean> {
    const name = spec.cluster
    if (spokeView.configs.byIndex('name', name).length > 0) return false
    const { items } = await kube
      .of(ClusterConfig.resource)
      .metadata.list({ fieldSelector: `metadata.name=${name}`, signal })
    return !items.some(({ metadata }) => metadata.name === name)
  }

  /**
   * The version in which it must yield to another one; undefined: it stays. Both are read live, this one first, and it
   * ends in that version only: states go one way, so that of any that are compared like this one is left. By what is
   * watched, two could each yield to what the other one was.
   */
  async function lesserVersion(session: Session, signal: AbortSignal): Promise<string | undefined> {
    const rival = rivalOf(session, sameSlot(session), clock.now())
    if (!rival) return undefined
    const found = await find(session, signal)
    const other = found && (await find(rival, signal))
    return other && rivalOf(found, [other], clock.now()) && found.metadata.resourceVersion
  }

  const find = ({ metadata }: Session, signal: AbortSignal): Promise<Session | undefined> =>
    kube.of(BreakglassSession.resource, metadata.namespace).find(metadata.name, { signal })

  /** One that was made by hand: by the label it is found in its slot, by the finalizer it does not go without a word. */
  async function label(session: Session, signal: AbortSignal): Promise<void> {
    const { labels, finalizers = [] } = session.metadata
    const slot = slotOf(session.spec)
    if (labels?.[sessionLabels.slot] === slot && isHeld(session)) return
    const held = isHeld(session) ? finalizers : [...finalizers, sessionFinalizer]
    await patch(session, { labels: { [sessionLabels.slot]: slot }, finalizers: held }, signal)
  }

  const letGo = (session: Session, signal: AbortSignal): Promise<void> =>
    patch(
      session,
      { finalizers: (session.metadata.finalizers ?? []).filter((one) => one !== sessionFinalizer) },
      signal,
    )

  /** Guarded by the version: finalizers of others stay. */
  async function patch({ metadata }: Session, change: object, signal: AbortSignal): Promise<void> {
    const { namespace, name, resourceVersion } = metadata
    const body = { metadata: { resourceVersion, ...change } }
    await kube.of(BreakglassSession.resource, namespace).patch(name, { type: 'merge', body }, { signal })
  }

  function isNewest(session: Session): boolean {
    const slot = slotOf(session.spec)
    const number = numberOf(session.metadata.name, slot)
    return number > 0 && sameSlot(session).every(({ metadata }) => numberOf(metadata.name, slot) <= number)
  }

  return controller(
    'access-sessions',
    (key, { signal }) =>
      reconcile(key, signal).catch((error: unknown) => {
        // Gone, or another by now: then it was queued as such.
        if (isAbsent(error) || isConflict(error) || isFailure(error, 'ACCESS_SESSION_GONE')) return done
        throw error
      }),
    {
      ...deps,
      workers: 16,
      watches: [
        // With the others of its slot that live: one that comes or ends concerns them.
        watching(view.sessions, (session) => [
          keyOf(session),
          ...sameSlot(session)
            .filter((other) => !isTerminal(stateOf(other)))
            .map(keyOf),
        ]),
        watching(spokeView.configs, ({ metadata }) => view.sessions.byIndex('cluster', metadata.name).map(keyOf), {
          when: ({ type }) => type !== 'updated',
        }),
      ],
    },
  )
}

/** When a session that the hub itself made and that has no state must have one. */
function firstStatusBy(session: Session): Date | undefined {
  const isOwn = (session.metadata.ownerReferences ?? []).some(({ controller: controls }) => controls)
  const madeAt = timeOf(session.metadata.creationTimestamp)
  return stateOf(session) === '' && isOwn && madeAt ? plus(madeAt, firstStatusMs) : undefined
}

const isHeld = ({ metadata }: Session): boolean => metadata.finalizers?.includes(sessionFinalizer) === true

const isTold = ({ status }: Session): boolean => (status?.told ?? 0) >= (status?.history?.at(-1)?.seq ?? 0)
