/** How the hub tells an agent that the account of an add-on is in place: the message of a condition, known to agents of the field. */
export interface Announcement {
  readonly namespace: string
  readonly account: string
  readonly uid: string
}

export const formatAnnouncement = ({ namespace, account, uid }: Announcement): string =>
  `ServiceAccount ${namespace}/${account} (UID: ${uid}) is ready`

const form = /^ServiceAccount ([^\s/()]+)\/([^\s/()]+) \(UID: ([^\s/()]+)\) is ready$/

/** Read whole: a message that says anything else, before, after or in between, announces nothing. */
export function readAnnouncement(message: string): Announcement | undefined {
  const [whole, namespace, account, uid] = form.exec(message) ?? []
  // `$` is satisfied before a line break at the end as well.
  return namespace && account && uid && whole === message ? { namespace, account, uid } : undefined
}
