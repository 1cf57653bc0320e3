import type { BreakglassSession as SessionObject, SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { isConflict } from '../../kube/failures.ts'
import type { CallOptions } from '../../kube/kube.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'
import type { Action, ActionFacts, Session, SessionStore } from './contract.ts'
import { decide } from './decide.ts'
import { failures } from './failures.ts'
import { requesting } from './requesting.ts'
import { stateOf } from './states.ts'

export interface SessionStoreDeps extends AccessHubDeps {
  view: AccessView
  /** The newest activity known here. */
  lastUsed(session: { namespace: string; name: string }): Date | undefined
}

/** Each is a write of somebody else in between; more than that is a storm, and whoever asked may try again. */
const mostTries = 10

export function createSessionStore(deps: SessionStoreDeps): SessionStore {
  const { kube, clock, view, spokeView, checkpoint } = deps
  const collection = (namespace: string) => kube.of(BreakglassSession.resource, namespace)

  /** Undefined: somebody else was first. */
  async function write(session: Session, status: SessionStatus, options: CallOptions): Promise<Session | undefined> {
    try {
      const next: SessionObject = { ...session, status }
      const at = collection(session.metadata.namespace ?? '')
      const written = await at.update(next, { subresource: 'status', ...options })
      checkpoint('access.session-written')
      return written
    } catch (error) {
      if (isConflict(error)) return undefined
      throw error
    }
  }

  function factsOf(session: Session): ActionFacts {
    const { metadata, spec } = session
    const lastActivity = deps.lastUsed({ namespace: metadata.namespace ?? '', name: metadata.name })
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller)
    const owning = owner && view.escalations.get(`${metadata.namespace}/${owner.name}`)
    return {
      escalations: owner ? (owning ? [owning] : []) : view.escalations.byIndex('group', spec.grantedGroup),
      // By the name that its webhook asks for: what else the session says of it may be written by hand.
      clusters: spokeView.configs.byIndex('name', spec.cluster),
      oidcPrefixes: deps.settings().oidcPrefixes,
      now: clock.now(),
      ...(lastActivity && { lastActivity }),
    }
  }

  /** Undefined: somebody else was first. */
  async function attempt(session: Session, action: Action, options: CallOptions): Promise<Session | undefined> {
    const transition = decide(session, action, factsOf(session))
    if ('refused' in transition) throw transition.refused
    return transition.status ? write(session, transition.status, options) : session
  }

  const act: SessionStore['act'] = async ({ namespace, name }, action, signal) => {
    const options = { ...(signal && { signal }) }
    for (let tried = 0; tried < mostTries; tried += 1) {
      const found = await collection(namespace).find(name, options)
      if (!found) throw failures.ACCESS_SESSION_GONE({ name })
      // Nobody has looked at it yet, so it is nothing that people could act on.
      const isFresh = stateOf(found) === '' && action.do !== 'end' && action.do !== 'delete'
      const looked = isFresh ? await attempt(found, { do: 'elapse' }, options) : found
      const done = looked && (isFresh && action.do === 'elapse' ? looked : await attempt(looked, action, options))
      if (done) return done
    }
    throw failures.ACCESS_BUSY()
  }

  return { act, request: requesting({ ...deps, write, act }) }
}
