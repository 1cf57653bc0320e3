/** Somebody who is told. */
export interface Recipient {
  readonly address: string
  /** Of approvers: by which groups they may approve. Empty: by their own name. */
  readonly groups: readonly string[]
}

/** What happened to a session, as people and programs are told. */
export interface Notice {
  /** The same each time it is told: `<uid of the session>/<seq>`. */
  readonly id: string
  readonly transition: string
  readonly at: string
  /** Who did it. Absent: the hub. */
  readonly by?: string
  readonly reason?: string
  readonly session: {
    readonly namespace: string
    readonly name: string
    readonly cluster: string
    readonly user: string
    readonly group: string
    readonly state: string
    readonly requestReason?: string
    readonly expiresAt?: string
    readonly scheduledStartTime?: string
    readonly reviewDueAt?: string
  }
  /** Who is written to by name. Channels that have an audience of their own overlook it. */
  readonly audience: 'approvers' | 'requester' | 'nobody'
  readonly recipients: readonly Recipient[]
  /** What approvers can do about it. */
  readonly command?: string
  readonly link?: string
}

/** A way to tell people or programs. */
export interface Channel {
  readonly name: string
  /** Tries as often as it should, and throws why not all who were to be told were. Never later than the signal. */
  send(notice: Notice, signal: AbortSignal): Promise<void>
}
