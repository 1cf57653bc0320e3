/** What the access API answers, as far as commands show it. */
import type { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import type { Stored } from '../kube/objects.ts'

export type SessionItem = Stored<BreakglassSession>
export type EscalationItem = Stored<BreakglassEscalation>

export interface ListOf<Item> {
  items: Item[]
  total?: number
}

/** A session, and what the caller may do with it. */
export interface SessionAnswer {
  session: SessionItem
  approvalMeta?: {
    canApprove?: boolean
    canReject?: boolean
    isRequester?: boolean
    isApprover?: boolean
    denialReason?: string
    sessionState?: string
    stateMessage?: string
  }
}

/** An identity provider that people may log in by. */
export interface ProviderItem {
  name: string
  displayName?: string
  issuer: string
  authority: string
  clientID: string
  /** That tokens must be for. Absent: the client. */
  expectedAudience?: string
  /** Who vouches for it, PEM. */
  certificateAuthority?: string
}

/** An event of the stream: one entry of the history of a session. */
export interface EventItem {
  session?: string
  name?: string
  namespace?: string
  cluster?: string
  user?: string
  group?: string
  state?: string
  entry?: { seq: number; at: string; transition: string; by?: string; reason?: string }
}

export const sessionsPath = '/api/breakglassSessions'
export const sessionPath = (name: string, action?: string): string =>
  `${sessionsPath}/${encodeURIComponent(name)}${action === undefined ? '' : `/${action}`}`
