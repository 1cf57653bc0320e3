/** Where it is known who is in a group. */
export interface GroupSource {
  /**
   * Mail addresses in lower case, at most as many as are kept of a group and one more. Undefined: there is no such group.
   * Throws why it cannot be known.
   */
  members(group: string, signal: AbortSignal): Promise<string[] | undefined>
}

/** Of one group, and of all groups of an escalation: a status is read by everybody who watches. */
export const mostMembers = { group: 1_000, all: 5_000 } as const
