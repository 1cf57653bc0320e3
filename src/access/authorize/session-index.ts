import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { Change } from '../../kube/store.ts'
import type { Session } from '../sessions/contract.ts'
import { isTerminal, stateOf } from '../sessions/states.ts'
import type { AccessView } from '../view.ts'
import type { RecordDeps } from './session-record.ts'
import { SessionRecord } from './session-record.ts'

const none: readonly SessionRecord[] = []

/** The sessions that may come to grant something, by cluster and user. Those that ended are nowhere in it. */
export class SessionIndex {
  readonly #deps: RecordDeps
  readonly #byKey = new Map<Key, SessionRecord>()
  readonly #byUser = new Map<string, Map<string, readonly SessionRecord[]>>()

  constructor(sessions: Pick<AccessView['sessions'], 'on'>, deps: RecordDeps) {
    this.#deps = deps
    sessions.on((change) => this.#follow(change))
  }

  of(cluster: string, user: string): readonly SessionRecord[] {
    return this.#byUser.get(cluster)?.get(user) ?? none
  }

  /** As it is by now; undefined where it ended. */
  current({ session }: SessionRecord): SessionRecord | undefined {
    const found = this.#byKey.get(keyOf(session))
    return found?.session.metadata.uid === session.metadata.uid ? found : undefined
  }

  get size(): number {
    return this.#byKey.size
  }

  #follow({ type, object }: Change<BreakglassSession>): void {
    const key = keyOf(object)
    const before = this.#byKey.get(key)
    if (before) {
      this.#byKey.delete(key)
      this.#replace(before.session, (records) => records.filter((record) => record !== before))
    }
    if (type === 'deleted' || !object.spec || isTerminal(stateOf(object))) return
    const record = new SessionRecord(object, this.#deps)
    this.#byKey.set(key, record)
    this.#replace(object, (records) => [...records, record].toSorted(byName))
  }

  #replace({ spec }: Session, change: (records: readonly SessionRecord[]) => readonly SessionRecord[]): void {
    const users = this.#byUser.get(spec.cluster) ?? new Map<string, readonly SessionRecord[]>()
    const records = change(users.get(spec.user) ?? none)
    if (records.length > 0) users.set(spec.user, records)
    else users.delete(spec.user)
    if (users.size > 0) this.#byUser.set(spec.cluster, users)
    else this.#byUser.delete(spec.cluster)
  }
}

const byName = (a: SessionRecord, b: SessionRecord): number => (keyOf(a.session) < keyOf(b.session) ? -1 : 1)
