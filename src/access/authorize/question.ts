import type { Clock } from '../../core/clock.ts'
import type { PolicySet } from '../policies/contract.ts'
import type { AccessSettings } from '../settings.ts'
import type { ClusterIndex } from './cluster-index.ts'
import type { Activity, Asked, Review, Reviews, Scope, SessionAside } from './contract.ts'
import type { EscalationIndex } from './escalation-index.ts'
import type { SessionIndex } from './session-index.ts'
import type { SessionRecord } from './session-record.ts'
import type { Touch } from './touch.ts'

export interface DecideDeps {
  clock: Pick<Clock, 'now' | 'countdown'>
  settings(): AccessSettings
  clusters: Pick<ClusterIndex, 'find'>
  sessions: Pick<SessionIndex, 'of' | 'current'>
  escalations: Pick<EscalationIndex, 'hasOfferFor'>
  policies: { current(): PolicySet | undefined }
  reviews: Reviews
  isHubUser(cluster: string, user: string): boolean
  activity: Pick<Activity, 'used'>
  /** How long what is waited for took. */
  onPhase(phase: Phase, ms: number): void
  touch: Pick<Touch, 'look' | 'lost'>
}

export const phases = ['policies', 'review'] as const
export type Phase = (typeof phases)[number]

/** For whoever wants to know how a decision came about. With one, nothing counts as use. */
export interface Trace {
  session(record: SessionRecord, aside: SessionAside | undefined): void
  policy(policy: string, because: string, record?: SessionRecord): void
  review(groups: readonly string[], review: Review): void
}

export interface Question {
  readonly cluster: string
  readonly asked: Asked
  readonly scope: Scope
  /** Default: the total deadline. */
  readonly withinMs?: number | undefined
  readonly trace?: Trace
  /** Nobody waits: a promise is as good as no answer, so nothing is begun that takes time. */
  readonly isAtOnce?: boolean
}
