import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import type { Session } from '../sessions/index.ts'

/**
 * A place in the stream of everything that happens to sessions: all that was so when this version of an object was
 * written, and of that object the entries up to `seq`. It means the same to every replica, and after a restart.
 */
export interface StreamPoint {
  readonly version: string
  readonly seq: number
}

export const pointText = ({ version, seq }: StreamPoint): string => `${version}.${seq}`

export function pointOf(text: string): StreamPoint | undefined {
  const [, version, seq] = /^([1-9]\d{0,18})\.(0|[1-9]\d{0,14})$/.exec(text) ?? []
  return version === undefined ? undefined : { version, seq: Number(seq) }
}

export const lastSeq = ({ status }: Session): number => status?.history?.at(-1)?.seq ?? 0

export const pointAt = (session: Session): StreamPoint => ({
  version: session.metadata.resourceVersion,
  seq: lastSeq(session),
})

/** Versions of one kind are numbers that grow with time. */
export const compareVersions = (a: string, b: string): number =>
  a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length

export const isAfter = (a: StreamPoint, b: StreamPoint): boolean => {
  const order = compareVersions(a.version, b.version)
  return order > 0 || (order === 0 && a.seq > b.seq)
}

export const byVersion = (a: Session, b: Session): number =>
  compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion)

/** How far the history of each session was looked through. */
export class Seen {
  readonly #seqs = new Map<string, number>()

  static of(sessions: readonly Session[]): Seen {
    const seen = new Seen()
    for (const session of sessions) seen.set(session.metadata.uid, lastSeq(session))
    return seen
  }

  get(uid: string): number {
    return this.#seqs.get(uid) ?? 0
  }

  set(uid: string, seq: number): void {
    this.#seqs.set(uid, seq)
  }

  /** What its history has beyond that, and beyond `atLeast`. From now on it was looked through. */
  look(session: Session, atLeast: number): SessionHistoryEntry[] {
    const before = Math.max(atLeast, this.get(session.metadata.uid))
    const entries = (session.status?.history ?? []).filter(({ seq }) => seq > before)
    if (entries.length > 0) this.set(session.metadata.uid, lastSeq(session))
    return entries
  }
}
