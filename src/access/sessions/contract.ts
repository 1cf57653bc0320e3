import type { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession, SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Failure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Ending } from '../names.ts'
import type { Person } from '../people/contract.ts'

export type Session = Stored<BreakglassSession>
export type Escalation = Stored<BreakglassEscalation>

/** What a person asks for. */
export interface Wish {
  readonly cluster: string
  readonly group: string
  readonly reason?: string
  readonly seconds?: number
  readonly scheduledStartTime?: string
  /** At once, without approval, and reviewed afterwards. */
  readonly emergency?: boolean
  /** As it was sent: must be the caller. */
  readonly user?: string
}

/** All that a request is decided on. Nothing here is fetched while deciding. */
export interface RequestFacts {
  readonly person: Person
  /** All of that name: one, or it is refused. */
  readonly clusters: readonly Stored<ClusterConfig>[]
  readonly escalations: readonly Escalation[]
  readonly provider: Stored<IdentityProvider> | undefined
  /** All sessions of the user, on every cluster. */
  readonly sessions: readonly Session[]
  /** All live sessions under an escalation, by its uid. */
  readonly under: (escalationUid: string) => readonly Session[]
}

/** What happens to a session: a person does it, or the clock. */
export type Action =
  | { readonly do: 'approve'; readonly by: Person; readonly reason?: string; readonly seconds?: number }
  | { readonly do: 'reject'; readonly by: Person; readonly reason?: string }
  | { readonly do: 'withdraw' | 'drop'; readonly by: Person }
  | { readonly do: 'cancel'; readonly by: Person; readonly reason?: string }
  | { readonly do: 'extend'; readonly by: Person; readonly seconds: number; readonly reason?: string }
  | {
      readonly do: 'review'
      readonly by: Person
      readonly verdict: 'Justified' | 'Unjustified'
      readonly comment?: string
    }
  /** Whatever is due by now: timeout, activation, expiry, idleness. Also brings a session without a state to Pending. */
  | { readonly do: 'elapse' }
  | { readonly do: 'end'; readonly why: Extract<Ending, 'clusterDeleted'> }
  /** `seen`: the version that was found to be the lesser one; any other is to be compared anew. */
  | { readonly do: 'end'; readonly why: Extract<Ending, 'duplicateCleanup'>; readonly seen: string }
  /** Somebody deleted its object. */
  | { readonly do: 'delete' }

/** What the decision on an action needs besides the session. */
export interface ActionFacts {
  /** The owner by uid; of a session without one, all of its cluster and group. */
  readonly escalations: readonly Escalation[]
  readonly clusters: readonly Stored<ClusterConfig>[]
  readonly now: Date
  /** The newest activity known here, where the status does not have it yet. */
  readonly lastActivity?: Date
  /** Of groups, which are compared without. */
  readonly oidcPrefixes?: readonly string[]
}

/** `status`: undefined where nothing changes. A refusal carries why; nothing changes then either. */
export type Transition = { readonly status: SessionStatus | undefined } | { readonly refused: Failure }

/** `approve` and `reject` are of an extension where one is waiting on a running session. */
export type Decide = (session: Session, action: Action, facts: ActionFacts) => Transition

/** What a session is good for at this moment, whatever its status says: the one clock of every path. */
export type Standing =
  | { readonly live: true; readonly grants: boolean /** When that changes by itself. */; readonly until?: Date }
  | { readonly live: false; readonly ending: Ending | undefined }

/** The effects: the only place that writes sessions. */
export interface SessionStore {
  /** In its slot: of several at once one is made, and the others get that one. */
  request(wish: Wish, facts: RequestFacts, signal?: AbortSignal): Promise<{ made: Session } | { exists: Session }>
  /** Reads it live, decides, writes guarded by its version; decides again where another was first. Throws the refusal. */
  act(at: { namespace: string; name: string }, action: Action, signal?: AbortSignal): Promise<Session>
}
