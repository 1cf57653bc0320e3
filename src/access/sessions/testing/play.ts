import assert from 'node:assert/strict'
import type { SessionStatus } from '../../../apis/breakglass/breakglass-session.ts'
import type { Action, ActionFacts, Session } from '../contract.ts'
import { decide } from '../decide.ts'
import { facts } from './builders.ts'

/** A session that things are done to, one after the other. */
export interface Play {
  readonly session: Session
  readonly status: SessionStatus
  /** The words of its history. */
  readonly words: string[]
  /** Does it at that second; the status code of a refusal, or 'done', or 'same' where nothing changed. */
  does(seconds: number, action: Action, more?: Partial<ActionFacts>): 'done' | 'same' | number
}

export function play(begin: Session, always: Partial<ActionFacts> = {}): Play {
  let session = begin
  return {
    get session() {
      return session
    },
    get status() {
      return session.status ?? {}
    },
    get words() {
      return (session.status?.history ?? []).map(({ transition }) => transition)
    },
    does(seconds, action, more = {}) {
      const before = structuredClone(session)
      const transition = decide(session, action, facts(seconds, { ...always, ...more }))
      assert.deepEqual(session, before, 'what is decided on stays as it is')
      if ('refused' in transition) return transition.refused.status
      if (transition.status === undefined) return 'same'
      session = { ...session, status: transition.status }
      return 'done'
    },
  }
}
